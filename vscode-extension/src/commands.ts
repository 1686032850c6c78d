/**
 * Every command of the palette and the views. Each is registered here, and does its work elsewhere.
 */

import * as vscode from "vscode";

import { copyLink } from "./ask/copyLink";
import { Picker } from "./ask/picker";
import { selectedWords } from "./ask/selection";
import type { Asker } from "./asker";
import type { Node } from "./results/model";
import type { ResultsView } from "./results/view";
import type { SetUp } from "./server/setUp";
import type { Session } from "./server/session";
import { showStatus } from "./status/show";
import { REINDEX } from "./wire";

export interface Parts {
  session: Session;
  asker: Asker;
  results: ResultsView;
  setUp: SetUp;
  log: vscode.LogOutputChannel;
  bundledVersion: () => Promise<string>;
}

export function registerCommands(parts: Parts): vscode.Disposable {
  const { session, asker, results, log } = parts;
  const guarded = (work: () => Promise<unknown>) => async () => {
    try {
      await work();
    } catch (error) {
      if (!asker.trouble(error)) {
        void vscode.window.showErrorMessage(`Docs: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  const reindex = (rebuild: boolean, said: string) =>
    guarded(async () => {
      await session.command(REINDEX, { rebuild });
      vscode.window.setStatusBarMessage(`$(sync) ${said}`, 5000);
    });
  const commands: Record<string, (...args: never[]) => unknown> = {
    "ddg.ask": (question?: unknown) => {
      Picker.show(asker, typeof question === "string" ? question : "");
    },
    "ddg.askSelection": () => {
      Picker.show(asker, selectedWords());
    },
    "ddg.askAgain": () => {
      Picker.show(asker, results.question);
    },
    "ddg.rebuildIndex": reindex(true, "The index is being rebuilt"),
    "ddg.resumeIndexing": reindex(false, "Looking for changes"),
    "ddg.restartServer": guarded(() => session.restart()),
    "ddg.showStatus": guarded(async () => showStatus(session, await parts.bundledVersion())),
    "ddg.showLog": () => {
      log.show(true);
    },
    "ddg.setUp": guarded(() => setUp(parts)),
    "ddg.nextResult": () => results.step(1),
    "ddg.previousResult": () => results.step(-1),
    "ddg.clearResults": () => {
      results.clear();
    },
    "ddg.openToSide": () => Picker.openActiveToSide(),
    "ddg.copyLink": () => Picker.copyActiveLink(),
    "ddg.results.open": (node: Node) => results.open(node, { focus: false }),
    "ddg.results.openToSide": (node: Node) => results.open(node, { toSide: true }),
    "ddg.results.copyLink": (node: Node) => copyLink(node.hit),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, work]) => vscode.commands.registerCommand(name, work)),
  );
}

async function setUp({ session, setUp: work, log }: Parts): Promise<void> {
  const made = await work.run("Setting up the documentation server");
  if (!made) {
    return;
  }
  await session.restart();
  const { condition } = session;
  if (condition.kind === "running") {
    log.info("Set-up is complete.");
    const ask = "Ask a Question";
    const chosen = await vscode.window.showInformationMessage("The documentation server is set up.", ask);
    if (chosen === ask) {
      await vscode.commands.executeCommand("ddg.ask");
    }
  }
}
