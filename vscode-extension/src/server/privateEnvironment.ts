/**
 * The extension's own Python environment: made, filled from the wheel in the extension, found again, replaced.
 *
 * Each set-up gets a folder of its own and becomes the one in use by the last step, a rename: a set-up that ends half way
 * changes nothing, and two windows do not disturb each other. Must not know VS Code.
 */

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";

import type { Bundle } from "./bundle";
import { type Outcome, run } from "./run";
import { parseVersion } from "./version";

const CURRENT = "current.json";
const OLD_MS = 24 * 3600 * 1000;
/** A slow line and a large wheel. */
const INSTALL_MS = 30 * 60 * 1000;
const STEP_MS = 3 * 60 * 1000;

export interface Installed {
  /** The program. */
  command: string;
  version: string;
  digest: string;
}

export interface Python {
  command: string;
  args: string[];
}

export interface Listener {
  step(message: string): void;
  log(line: string): void;
  signal: AbortSignal;
}

/** Set-up failed; the message is for the user and says what to do. */
export class SetUpError extends Error {
  constructor(
    message: string,
    readonly cancelled = false,
  ) {
    super(message);
  }
}

/** The environment in use; undefined when there is none, or it is gone. */
export async function installed(storage: string): Promise<Installed | undefined> {
  try {
    const told = JSON.parse(await readFile(join(storage, CURRENT), "utf8")) as Record<string, unknown>;
    const { folder, version, digest } = told;
    if (typeof folder !== "string" || typeof version !== "string" || typeof digest !== "string") {
      return undefined;
    }
    const command = program(join(storage, folder), "ddg-lsp");
    await stat(command);
    return { command, version, digest };
  } catch {
    return undefined;
  }
}

/** Make an environment with `python`, install the wheel and what it needs, try it, and put it to use. */
export async function install(storage: string, bundle: Bundle, python: Python, listener: Listener): Promise<Installed> {
  const name = `${bundle.version}-${bundle.digest}-${randomBytes(3).toString("hex")}`;
  const folder = join(storage, name);
  await mkdir(storage, { recursive: true });
  try {
    listener.step("making an environment");
    const made = await step(python.command, [...python.args, "-I", "-m", "venv", folder], STEP_MS, listener, storage);
    expect(made, "The Python environment could not be made.", venvHint(made));
    listener.step("installing the server");
    const pip = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"];
    const filled = await step(program(folder, "python"), [...pip, bundle.wheel], INSTALL_MS, listener, storage);
    expect(filled, "The server could not be installed.", pipHint(filled));
    listener.step("trying it");
    const command = program(folder, "ddg-lsp");
    const tried = await step(command, ["--version"], STEP_MS, listener, storage);
    expect(tried, "The server was installed but does not start.", "The log says why.");
    const version = parseVersion(tried.output) ?? bundle.version;
    await putToUse(storage, { folder: name, version, digest: bundle.digest });
    return { command, version, digest: bundle.digest };
  } catch (error) {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    throw error;
  }
}

/** Remove environments that are not in use and have not been for a day: another window may still run one. */
export async function tidy(storage: string, now = Date.now()): Promise<string[]> {
  const gone: string[] = [];
  const used = await readFile(join(storage, CURRENT), "utf8").then(
    (text) => (JSON.parse(text) as { folder?: unknown }).folder,
    () => undefined,
  );
  for (const entry of await readdir(storage, { withFileTypes: true }).catch(() => [])) {
    const path = join(storage, entry.name);
    if (entry.isDirectory() && entry.name !== used && now - (await stat(path)).mtimeMs > OLD_MS) {
      await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
      gone.push(entry.name);
    }
  }
  return gone;
}

/** The surroundings of our own Python: nothing of another one may lead it astray. */
export function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const astray = /^(?:PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|VIRTUAL_ENV|PIP_TARGET|PIP_PREFIX|PIP_REQUIRE_VIRTUALENV)$/;
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !astray.test(name)));
  return { ...kept, PIP_USER: "0", PYTHONNOUSERSITE: "1", PYTHONUTF8: "1" };
}

async function putToUse(storage: string, told: object): Promise<void> {
  const draft = join(storage, `${CURRENT}.${randomBytes(3).toString("hex")}`);
  await writeFile(draft, JSON.stringify(told));
  await rename(draft, join(storage, CURRENT));
}

function program(environment: string, name: string): string {
  return process.platform === "win32" ? join(environment, "Scripts", `${name}.exe`) : join(environment, "bin", name);
}

function step(command: string, args: string[], timeoutMs: number, listener: Listener, cwd: string): Promise<Outcome> {
  listener.log(`> ${[command, ...args].join(" ")}`);
  const onLine = (line: string) => {
    listener.log(line);
    const package_ = /^\s*(?:Collecting|Downloading) ([^\s(]+)/.exec(line)?.[1];
    if (package_) {
      listener.step(`installing ${package_.replace(/-\d.*$/, "").replace(/[<>=!~;].*$/, "")}`);
    } else if (line.startsWith("Installing collected packages")) {
      listener.step("unpacking");
    }
  };
  return run(command, args, { cwd, env: cleanEnvironment(process.env), timeoutMs, signal: listener.signal, onLine });
}

function expect(outcome: Outcome, what: string, hint: string): void {
  if (outcome.trouble === "cancelled") {
    throw new SetUpError("Set-up was cancelled.", true);
  }
  if (outcome.code !== 0) {
    throw new SetUpError(`${what} ${outcome.trouble === "timeout" ? "It took too long." : hint}`);
  }
}

function venvHint(outcome: Outcome): string {
  return outcome.output.includes("ensurepip")
    ? "This Python lacks the venv module; on Debian and Ubuntu `apt install python3-venv` brings it."
    : "The log says why.";
}

const UNREACHED =
  /Temporary failure|getaddrinfo|Name or service|Connection(?:Error| refused)|timed out|ProxyError|SSLError|CERTIFICATE/i;

function pipHint({ output }: Outcome): string {
  const [, wanted = ""] = /No matching distribution found for (\S+)/.exec(output) ?? [];
  if (UNREACHED.test(output)) {
    return "The package index cannot be reached: check the network, or name a mirror in pip's own settings.";
  }
  if (output.includes("(from versions: none)")) {
    // pip says the same of a network that is down and of a package nobody has made for this system.
    return `The package index cannot be reached, or has no ${wanted} for this Python and system: check the network, or name a mirror in pip's own settings.`;
  }
  if (wanted) {
    return `The package index has no ${wanted} for this Python and system; another Python can be named in ddg.server.python.`;
  }
  return /No space left/i.test(output) ? "The disk is full." : "The log says why.";
}
