/**
 * The one language status item: what the server is doing, behind `{}` in the status bar.
 */

import * as vscode from "vscode";

import type { Session } from "../server/session";
import { runningLine, type StatusLine } from "./text";

export function statusItem(session: Session): vscode.Disposable {
  const item = vscode.languages.createLanguageStatusItem("ddg.status", [{ scheme: "file" }, { scheme: "untitled" }]);
  item.name = "Docs";
  const show = () => {
    const { line, command } = lineOf(session);
    item.text = line.text;
    item.detail = line.detail;
    item.busy = line.busy;
    item.severity = {
      info: vscode.LanguageStatusSeverity.Information,
      warning: vscode.LanguageStatusSeverity.Warning,
      error: vscode.LanguageStatusSeverity.Error,
    }[line.severity];
    item.command = command;
  };
  show();
  return vscode.Disposable.from(item, session.onDidChange(show));
}

function lineOf({ condition }: Session): { line: StatusLine; command: vscode.Command } {
  const status = { command: "ddg.showStatus", title: "Show Status" };
  switch (condition.kind) {
    case "running":
      return { line: runningLine(condition.status), command: status };
    case "missing":
      return {
        line: { text: "Docs: not set up", detail: "", busy: false, severity: "warning" },
        command: { command: "ddg.setUp", title: "Set Up" },
      };
    case "failed":
      return {
        line: { text: "Docs: stopped", detail: condition.message, busy: false, severity: "error" },
        command: { command: "ddg.restartServer", title: "Restart" },
      };
    case "idle":
    case "starting":
      return { line: runningLine(undefined), command: { command: "ddg.showLog", title: "Show Log" } };
  }
}
