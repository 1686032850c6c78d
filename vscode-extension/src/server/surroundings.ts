/**
 * What VS Code and the system say about where a server and a Python may be found.
 */

import { homedir } from "node:os";
import * as vscode from "vscode";

import type { Surroundings } from "./candidates";

export function surroundings(privateServer: string | undefined): Surroundings {
  const folders = vscode.workspace.workspaceFolders ?? [];
  // The Python extension declares this setting; it can be read whether or not that extension is there.
  const chosen = vscode.workspace.getConfiguration("python", folders[0]?.uri).inspect<string>("defaultInterpreterPath");
  const interpreter = chosen?.workspaceFolderValue ?? chosen?.workspaceValue ?? chosen?.globalValue;
  return {
    platform: process.platform,
    env: process.env,
    home: homedir(),
    trusted: vscode.workspace.isTrusted,
    folders: folders.filter((folder) => folder.uri.scheme === "file").map((folder) => folder.uri.fsPath),
    serverPath: machineSetting("server.path"),
    interpreter: typeof interpreter === "string" ? interpreter : "",
    privateServer,
  };
}

export function machineSetting(name: string): string {
  const value = vscode.workspace.getConfiguration("ddg").get<unknown>(name);
  return typeof value === "string" ? value : "";
}
