// How long a user waits, measured in the workbench's own clock; printed, never asserted.
//
//     node measure.mjs       FOLDER=documents to ask (the repository's own docs)
import { cpSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { Hands } from "./hands.mjs";
import { EXTENSION, launch, ROOT, serverProgram, sleep, until } from "./workbench.mjs";

const QUESTIONS = ["how do I throw the cache away", "why is my page not found", "캐시가 깨지면 어떻게 되나요", "which model is built in"];
const vsix = process.env.VSIX ?? join(EXTENSION, "ddg-lsp.vsix");
const vs = await launch({
  vsix,
  machineSettings: { "ddg.server.path": serverProgram() },
  fill: (workspace) => {
    rmSync(join(workspace, "docs"), { recursive: true });
    cpSync(process.env.FOLDER ?? join(ROOT, "docs"), join(workspace, "docs"), { recursive: true });
  },
});
const hands = new Hands(vs.page);
const { page } = vs;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const shown = (values) => `median ${Math.round(median(values))} ms, worst ${Math.round(Math.max(...values))} ms, ${values.length} times`;

/** From a key to the first change of the list that shows hits. */
function watch() {
  const list = () => [...document.querySelectorAll(".quick-input-list .monaco-list-row")].map((row) => row.textContent).join("\n");
  const state = (window.ddgWaits = { waits: [], since: 0, before: "" });
  document.addEventListener("beforeinput", () => ([state.since, state.before] = [performance.now(), list()]), true);
  const changed = () => {
    const now = list();
    if (!state.since || !now || now === state.before) return;
    state.waits.push(performance.now() - state.since);
    state.since = 0;
  };
  new MutationObserver(changed).observe(document.body, { subtree: true, childList: true, characterData: true });
}

/** What was waited for since the last call; undefined when the list stayed as it was. */
const waited = () => page.evaluate(() => window.ddgWaits.waits.splice(0)[0]);

async function ask(question, first, next) {
  await hands.shortcut();
  await page.evaluate(() => (window.ddgWaits.waits.length = 0));
  for (const [at, letter] of [...question].entries()) {
    await page.keyboard.type(letter);
    await sleep(600);
    const wait = await waited();
    if (wait !== undefined) (at === 0 ? first : next).push(wait);
  }
  await hands.press("Escape");
  await sleep(300);
}

try {
  await page.locator(".explorer-folders-view .monaco-list-row").first().waitFor({ timeout: 90000 });
  await hands.run("Docs: Ask a Question…");
  await hands.type("cache");
  await until(async () => (await hands.rows()).length > 3 && (await hands.title()) === "Ask the Docs", "a complete index", 240);
  await hands.press("Escape");
  await page.evaluate(watch);
  const [first, next] = [[], []];
  for (const question of QUESTIONS) await ask(question, first, next);
  console.log(`first letter to first hits:  ${shown(first)}`);
  console.log(`key to other hits:           ${shown(next)} (the pause of 120 ms included)`);
  await hands.run("Developer: Show Running Extensions");
  const row = page.locator(".runtime-extensions-editor .monaco-list-row", { hasText: "Docs: Ask a Question" }).first();
  await row.waitFor();
  console.log(`activation:                  ${await row.locator(".activation-time").innerText()}`);
  console.log(`.vsix:                       ${statSync(vsix).size.toLocaleString("en")} bytes`);
} finally {
  await vs.stop();
}
