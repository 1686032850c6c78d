/**
 * Where a server may be found, in the order in which it is looked for. Pure: the file system comes in as a question.
 *
 * Programs are named by whole paths and started without a shell. What lies in the workspace counts only when the user
 * trusts the workspace; the current folder never counts.
 */

import { posix, win32 } from "node:path";

export type Origin = "setting" | "environment" | "path" | "private";

export interface Candidate {
  command: string;
  origin: Origin;
}

export interface Surroundings {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** The user trusts the workspace. */
  trusted: boolean;
  /** The workspace's folders on disk. */
  folders: readonly string[];
  /** `ddg.server.path`. */
  serverPath: string;
  /** `python.defaultInterpreterPath`, as the user wrote it. */
  interpreter: string;
  /** The program in the extension's own environment, where there is one. */
  privateServer: string | undefined;
}

/** Every place a server may be, best first; those that are not there are left out, but for the one the user named. */
export function serverCandidates(around: Surroundings, isFile: (file: string) => boolean): Candidate[] {
  const named = expandHome(around.serverPath.trim(), around);
  if (named) {
    return [{ command: named, origin: "setting" }]; // and no other: a typo must not start another server
  }
  const program = around.platform === "win32" ? "ddg-lsp.exe" : "ddg-lsp";
  const path = paths(around);
  const found: Candidate[] = [];
  const add = (folder: string, origin: Origin) => {
    found.push({ command: path.join(folder, program), origin });
  };
  for (const folder of environmentFolders(around)) {
    add(folder, "environment");
  }
  for (const folder of pathFolders(around)) {
    add(folder, "path");
  }
  if (around.privateServer) {
    found.push({ command: around.privateServer, origin: "private" });
  }
  return unique(found).filter((one) => isFile(one.command));
}

/** Pythons a private environment can be made with, best first. */
export function pythonCandidates(
  around: Surroundings,
  named: string,
  isFile: (file: string) => boolean,
): { command: string; args: string[] }[] {
  const chosen = expandHome(named.trim(), around);
  if (chosen) {
    return [{ command: chosen, args: [] }];
  }
  const path = paths(around);
  const windows = around.platform === "win32";
  const names = windows
    ? ["python.exe", "python3.exe"]
    : ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"];
  const environments = environmentFolders(around).map((folder) => path.join(folder, windows ? "python.exe" : "python"));
  const onPath = names.flatMap((name) => pathFolders(around).map((folder) => path.join(folder, name)));
  const launchers = windows ? pathFolders(around).map((folder) => path.join(folder, "py.exe")) : [];
  return [
    ...[...new Set([...environments, ...onPath])].filter(isFile).map((command) => ({ command, args: [] })),
    ...launchers.filter(isFile).map((command) => ({ command, args: ["-3"] })),
  ];
}

/** The folders with the programs of the chosen Python environments. */
function environmentFolders(around: Surroundings): string[] {
  if (!around.trusted) {
    return [];
  }
  const path = paths(around);
  const programs = around.platform === "win32" ? "Scripts" : "bin";
  const found: string[] = [];
  const interpreter = expandHome(around.interpreter.trim(), around);
  const spelled = around.folders.length ? around.folders : [""];
  for (const folder of interpreter ? spelled : []) {
    const full = interpreter
      .replace(/\$\{workspaceFolder\}/g, () => folder)
      .replace(/\$\{env:([^}]+)\}/g, (_, name: string) => around.env[name] ?? "");
    const placed = path.isAbsolute(full) || !folder ? full : /[/\\]/.test(full) ? path.join(folder, full) : full;
    if (path.isAbsolute(placed)) {
      found.push(path.dirname(placed));
    }
  }
  const active = around.env.VIRTUAL_ENV;
  if (active && path.isAbsolute(active)) {
    found.push(path.join(active, programs));
  }
  for (const folder of around.folders) {
    found.push(path.join(folder, ".venv", programs));
  }
  return [...new Set(found)];
}

/** PATH without empty and relative entries: they would be the workspace. */
function pathFolders(around: Surroundings): string[] {
  const path = paths(around);
  const value = around.env.PATH ?? around.env.Path ?? "";
  return [...new Set(value.split(path.delimiter))].filter((folder) => path.isAbsolute(folder));
}

function expandHome(path: string, around: Surroundings): string {
  return /^~(?=$|[/\\])/.test(path) ? around.home + path.slice(1) : path;
}

function paths(around: Surroundings): typeof posix {
  return around.platform === "win32" ? win32 : posix;
}

function unique(candidates: Candidate[]): Candidate[] {
  return [...new Map(candidates.reverse().map((one) => [one.command, one])).values()].reverse();
}
