// Set-up from nothing, as its user sees it: no server on the machine, below a name with blanks and umlauts; the package
// index cannot be reached at first; then a retry, a question, and the update that a newer extension brings.
//
//     node setup.mjs         PYTHON names the Python the environment is made with; SHOTS keeps screenshots
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { Hands } from "./hands.mjs";
import { EXTENSION, launch, log, processesBelow, until } from "./workbench.mjs";

const NAME = "Jürgen Müller 🚀";
const QUESTION = "요청이 실패하면 다시 보내나요?"; // Is a request sent again when it fails?
const asked = spawnSync(process.env.PYTHON ?? "python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
const PATH = process.env.PATH.split(delimiter).filter((folder) => !existsSync(join(folder, "ddg-lsp"))).join(delimiter);
const vs = await launch({
  vsix: process.env.VSIX ?? join(EXTENSION, "ddg-lsp.vsix"),
  where: NAME,
  env: { PATH, VIRTUAL_ENV: "" },
  machineSettings: { "ddg.server.python": asked.stdout.trim() },
});
const hands = new Hands(vs.page, process.env.SHOTS);
const { page } = vs;
const pipSettings = join(vs.home, "xc/pip/pip.conf");
const storage = join(vs.home, "user/User/globalStorage/ddg-lsp.ddg-lsp/server");
const toast = (text) => page.locator(".notifications-toasts .notification-list-item", { hasText: text }).first();
const button = (text) => page.locator(".notifications-toasts .monaco-button", { hasText: text }).first();
const running = () => processesBelow(vs.pid, /ddg-lsp serve --stdio$/);
const note = () => JSON.parse(readFileSync(join(storage, "current.json"), "utf8"));

async function withoutAServerAQuestionOffersSetUp() {
  mkdirSync(join(vs.home, "xc/pip"), { recursive: true });
  writeFileSync(pipSettings, "[global]\nindex-url = http://127.0.0.1:9/simple\nno-find-links = true\nretries = 0\n");
  await hands.run("Docs: Ask a Question…");
  await hands.type("x");
  await toast("is not installed yet").waitFor({ timeout: 60000 });
  await hands.shot("setup-1-offer");
}

async function aFailureSaysWhatToDoAndLeavesNothing() {
  await button("Set Up").click();
  await toast("could not be installed").waitFor({ timeout: 180000 });
  const said = await toast("could not be installed").innerText();
  hands.same(/package index cannot be reached/.test(said), true, said);
  hands.same(readdirSync(storage).join(), "", "what is left of it");
  await hands.shot("setup-2-failure");
}

async function retryInstallsAndAnswers() {
  rmSync(pipSettings);
  await button("Retry").click();
  await toast("Setting up the documentation server").waitFor({ timeout: 30000 });
  await until(async () => /installing (?!the server)/.test(await toast("Setting up").innerText()), "progress", 120);
  await hands.shot("setup-3-progress");
  await toast("is set up").waitFor({ timeout: 420000 });
  await button("Ask a Question").click();
  await hands.type(QUESTION);
  await hands.rowsWhen((found) => /Retry policy/.test(found[0] ?? ""), 120);
  await hands.press("Enter");
  await hands.at("Ln 9, Col 1");
  const [server] = running();
  hands.same(server.args.includes(storage), true, server.args);
}

async function aNewerExtensionBringsItsServerByItself() {
  const before = note();
  writeFileSync(join(storage, "current.json"), JSON.stringify({ ...before, digest: "another" }));
  await hands.run("Docs: Restart Server");
  await until(() => note().folder !== before.folder && note().digest === before.digest, "the new environment", 420);
  await until(() => running().some(({ args }) => args.includes(note().folder)), "the new server", 60);
  await hands.run("Docs: Ask a Question…");
  await hands.type(QUESTION);
  await hands.rowsWhen((found) => /Retry policy/.test(found[0] ?? ""), 60);
  log(`     ${readdirSync(storage).join(" ")}`);
}

await hands.all(
  [
    withoutAServerAQuestionOffersSetUp,
    aFailureSaysWhatToDoAndLeavesNothing,
    retryInstallsAndAnswers,
    aNewerExtensionBringsItsServerByItself,
  ],
  vs,
);
