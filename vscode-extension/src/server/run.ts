/**
 * Running a program to its end: whole path, no shell, output line by line, a time limit, cancelled with its children.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Outcome {
  /** Undefined when the program could not be started or was stopped. */
  code: number | undefined;
  /** Both streams, the last `KEPT` characters. */
  output: string;
  /** Why there is no code. */
  trouble?: "not-started" | "timeout" | "cancelled";
}

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  timeoutMs: number;
  signal?: AbortSignal;
  onLine?: (line: string) => void;
}

const KEPT = 20_000;

export function run(command: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    let output = "";
    let trouble: Outcome["trouble"];
    const keep = (line: string) => {
      output = (output + line + "\n").slice(-KEPT);
      options.onLine?.(line);
    };
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32", // a group of its own, so that what it started ends with it
      windowsHide: true,
    });
    const stop = (why: Outcome["trouble"]) => {
      trouble ??= why;
      end(child);
    };
    const timer = setTimeout(() => {
      stop("timeout");
    }, options.timeoutMs);
    const cancel = () => {
      stop("cancelled");
    };
    if (options.signal?.aborted) {
      cancel();
    }
    options.signal?.addEventListener("abort", cancel, { once: true });
    const settle = (code: number | undefined) => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", cancel);
      resolve(trouble ? { code: undefined, output, trouble } : { code, output });
    };
    child.on("error", (error) => {
      trouble ??= "not-started";
      keep(error.message);
      settle(undefined);
    });
    child.on("close", (code) => {
      settle(code ?? -1);
    });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream, crlfDelay: Infinity }).on("line", keep);
    }
  });
}

function end(child: ChildProcess): void {
  if (child.pid === undefined) {
    return;
  }
  try {
    if (process.platform === "win32") {
      spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore", windowsHide: true });
    } else {
      process.kill(-child.pid, "SIGKILL");
    }
  } catch {
    // It has ended by itself meanwhile.
  }
}
