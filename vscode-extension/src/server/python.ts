/**
 * Choosing the Python a private environment is made with: new enough, and 64 bits wide as the model's runtime is.
 *
 * Must not know VS Code.
 */

import { homedir } from "node:os";

import type { Python } from "./privateEnvironment";
import { type Outcome, run } from "./run";

export const OLDEST_PYTHON = [3, 10] as const;
const PROBE = "import sys, struct; print('python', *sys.version_info[:2], struct.calcsize('P') * 8)";
const PROBE_MS = 20_000;

export type AskPython = (python: Python) => Promise<Outcome>;

export const askPython: AskPython = ({ command, args }) =>
  run(command, [...args, "-I", "-c", PROBE], { timeoutMs: PROBE_MS, cwd: homedir() });

/** The first that fits, and why the ones before it do not. */
export async function choosePython(
  candidates: readonly Python[],
  ask: AskPython = askPython,
): Promise<{ python: Python | undefined; passed: string[] }> {
  const passed: string[] = [];
  for (const candidate of candidates) {
    const why = unfit(await ask(candidate));
    if (why === undefined) {
      return { python: candidate, passed };
    }
    passed.push(`${candidate.command}: ${why}`);
  }
  return { python: undefined, passed };
}

function unfit(outcome: Outcome): string | undefined {
  const told = /^python (\d+) (\d+) (\d+)\s*$/m.exec(outcome.output);
  if (outcome.code !== 0 || !told) {
    return "it does not start";
  }
  const [major = 0, minor = 0, bits = 0] = told.slice(1).map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_PYTHON;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    return `it is Python ${major}.${minor}, and ${oldestMajor}.${oldestMinor} is needed`;
  }
  return bits === 64 ? undefined : "it is a 32-bit Python";
}
