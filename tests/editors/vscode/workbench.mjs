// A real VS Code for tests: the server of the npm package code-server, and its workbench in Chromium.
//
// Owns the processes and the folders they write to: everything is in one temporary folder, and gone with `stop`.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(HERE, "../../..");
export const EXTENSION = join(ROOT, "vscode-extension");
const SERVER_MAIN = join(HERE, "node_modules/code-server/lib/vscode/out/server-main.js");
const QUIET = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "chat.commandCenter.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "window.commandCenter": false,
  "editor.accessibilitySupport": "off",
  "workbench.colorTheme": "Default Light Modern",
};
const started = Date.now();

export const log = (text) => console.log(`[${((Date.now() - started) / 1000).toFixed(1).padStart(5)}s] ${text}`);
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Polls until `check` gives something true; throws with what it gave last. */
export async function until(check, what, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (let last; ; await sleep(100)) {
    last = await check();
    if (last) return last;
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s (last: ${JSON.stringify(last)})`);
  }
}

/** The `ddg-lsp` to test with: DDG_LSP, else the repository's own environment. */
export function serverProgram() {
  const program = process.env.DDG_LSP ?? join(ROOT, ".venv/bin/ddg-lsp");
  if (!existsSync(program)) throw new Error(`${program} is not there: run make setup, or name one in DDG_LSP`);
  return program;
}

/** A copy of the sample workspace. */
export function workspaceIn(folder) {
  const workspace = join(folder, "workspace");
  cpSync(join(HERE, "workspace"), workspace, { recursive: true });
  return workspace;
}

/**
 * Start everything. `where`: names of folders below the temporary one, to try what users have; `payload`, `prepare`: see
 * `exthost.mjs`; `trust`: the workspace is trusted without asking.
 */
export async function launch({ vsix, machineSettings = {}, userSettings = {}, fill = () => {}, env = {}, ...more }) {
  const { payload = () => [], prepare = async () => {}, where = "home", trust = true } = more;
  const tmp = mkdtempSync(join(tmpdir(), "ddg-vscode-"));
  const home = join(tmp, where);
  for (const name of ["user/User", "user/Machine", "tmp"]) mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, "user/User/settings.json"), JSON.stringify({ ...QUIET, ...userSettings }));
  // Settings of scope "machine" are read on the server's side, and from this file only.
  writeFileSync(join(home, "user/Machine/settings.json"), JSON.stringify(machineSettings));
  const workspace = workspaceIn(home);
  fill(workspace);
  const own = { HOME: home, TMPDIR: join(home, "tmp"), XDG_CONFIG_HOME: join(home, "xc"), XDG_CACHE_HOME: join(home, "xk") };
  const surroundings = { ...process.env, ...own, XDG_DATA_HOME: join(home, "xd"), EXTENSIONS_GALLERY: '{"serviceUrl":""}', ...env };
  delete surroundings.VSCODE_IPC_HOOK_CLI;
  const folders = ["--server-data-dir", join(home, "data"), "--user-data-dir", join(home, "user"), "--extensions-dir", join(home, "ext")];
  const dirs = ["--accept-server-license-terms", ...folders];
  let server, context;
  // Ended from outside, by a time limit perhaps: nothing is left running.
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => void stop().then(() => process.exit(1)));
  }
  const stop = async () => {
    await context?.close().catch(() => {});
    if (server) killGroup(server.pid);
    await sleep(500);
    if (process.env.KEEP) log(`kept ${tmp}`);
    else rmSync(tmp, { recursive: true, force: true, maxRetries: 5, retryDelay: 300 });
  };
  const serverLog = () => (existsSync(join(home, "server.log")) ? readFileSync(join(home, "server.log"), "utf8").slice(-4000) : "");
  try {
    if (vsix) install(vsix, dirs, surroundings);
    const port = await freePort();
    const out = openSync(join(home, "server.log"), "w");
    const open = ["--host", "127.0.0.1", "--port", String(port), "--without-connection-token", "--telemetry-level", "off"];
    const mode = ["--enable-smoke-test-driver", ...(trust ? ["--disable-workspace-trust"] : [])];
    const options = { env: surroundings, stdio: ["ignore", out, out], detached: true };
    server = spawn(process.execPath, [SERVER_MAIN, ...dirs, ...open, ...mode], options);
    const up = async () => server.exitCode === null && (await fetch(`http://127.0.0.1:${port}/version`).then((r) => r.ok, () => false));
    await until(up, "VS Code's server", 60);
    context = await browser(tmp, own);
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: `http://127.0.0.1:${port}` });
    const page = context.pages()[0] ?? (await context.newPage());
    await prepare(page);
    const query = new URLSearchParams({ folder: workspace });
    const told = payload((path) => `vscode-remote://127.0.0.1:${port}${path}`);
    if (told.length) query.set("payload", JSON.stringify(told));
    await page.goto(`http://127.0.0.1:${port}/?${query}`, { timeout: 120000 });
    return { page, stop, serverLog, workspace, home, pid: server.pid };
  } catch (error) {
    log(serverLog());
    await stop();
    throw error;
  }
}

function install(vsix, dirs, env) {
  const done = spawnSync(process.execPath, [SERVER_MAIN, ...dirs, "--install-extension", vsix, "--force"], { env, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`the .vsix was not installed: ${done.stdout}${done.stderr}`);
}

function browser(tmp, env) {
  const calm = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
  return chromium.launchPersistentContext(join(tmp, "chrome"), {
    env: { ...process.env, ...env },
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport: { width: 1100, height: 680 },
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", ...calm],
  });
}

function killGroup(pid) {
  try {
    process.kill(-pid, "SIGTERM");
  } catch {
    // gone
  }
}

/** The processes of this VS Code whose command line matches: `[{pid, args}]`. */
export function processesBelow(pid, pattern) {
  const lines = spawnSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).stdout.trim().split("\n");
  const all = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)).filter(Boolean);
  const known = new Set([pid]);
  for (let before = 0; before !== known.size; ) {
    before = known.size;
    for (const [, child, parent] of all) if (known.has(Number(parent))) known.add(Number(child));
  }
  return all.filter(([, child, , args]) => known.has(Number(child)) && pattern.test(args)).map(([, child, , args]) => ({ pid: Number(child), args }));
}

function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}
