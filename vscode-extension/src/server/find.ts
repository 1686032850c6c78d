/**
 * Finding a server that works: each place is asked for its version, the first that is new enough is taken.
 *
 * Must not know VS Code.
 */

import { constants, accessSync, statSync } from "node:fs";
import { homedir } from "node:os";

import type { Candidate } from "./candidates";
import { type Outcome, run } from "./run";
import { compareVersions, parseVersion } from "./version";

const VERSION_MS = 30_000;

export interface Found extends Candidate {
  version: string;
}

/** Why a place was passed over. */
export interface Passed extends Candidate {
  why: string;
}

export type Ask = (command: string) => Promise<Outcome>;

export const askVersion: Ask = (command) => run(command, ["--version"], { timeoutMs: VERSION_MS, cwd: homedir() });

export async function firstThatWorks(
  candidates: readonly Candidate[],
  minimum: string,
  ask: Ask = askVersion,
): Promise<{ found: Found | undefined; passed: Passed[] }> {
  const passed: Passed[] = [];
  for (const candidate of candidates) {
    const outcome = await ask(candidate.command);
    const version = outcome.code === 0 ? parseVersion(outcome.output) : undefined;
    if (version !== undefined && compareVersions(version, minimum) >= 0) {
      return { found: { ...candidate, version }, passed };
    }
    passed.push({ ...candidate, why: version === undefined ? failure(outcome) : tooOld(version, minimum) });
  }
  return { found: undefined, passed };
}

/** A file that can be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function tooOld(version: string, minimum: string): string {
  return `it is version ${version}, and ${minimum} is needed`;
}

function failure(outcome: Outcome): string {
  const said = outcome.output.trim().split("\n").at(-1) ?? "";
  switch (outcome.trouble) {
    case "not-started":
      return `it cannot be started (${said})`;
    case "timeout":
      return "it did not answer";
    default:
      return said ? `it is not ddg-lsp, or broken (${said.slice(0, 200)})` : "it is not ddg-lsp, or broken";
  }
}
