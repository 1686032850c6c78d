// The extension as its user sees it: installed from the .vsix, in the real workbench, by keys and with the eyes.
//
//     node ui.mjs            SHOTS=folder keeps screenshots there
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Hands } from "./hands.mjs";
import { EXTENSION, launch, log, processesBelow, serverProgram, until } from "./workbench.mjs";

const KOREAN = "요청이 실패하면 다시 보내나요?"; // Is a request sent again when it fails?
const program = serverProgram();
const vs = await launch({
  vsix: process.env.VSIX ?? join(EXTENSION, "ddg-lsp.vsix"),
  machineSettings: { "ddg.server.path": program },
  fill: (workspace) => {
    const lines = Array.from({ length: 160 }, (_, at) => `${" ".repeat(at % 9)}line ${at + 1}`);
    writeFileSync(join(workspace, "long.txt"), lines.join("\n"));
  },
});
const hands = new Hands(vs.page, process.env.SHOTS);
const { page } = vs;

async function palette() {
  await hands.openFile(join(vs.workspace, "app.py"));
  await hands.run("Docs: Ask a Question…", "1-palette");
  await hands.pickerTitle("Ask the Docs");
}

async function koreanQuestionOverEnglishDocs() {
  await hands.type(KOREAN);
  const rows = await hands.rowsWhen((found) => /Retry policy/.test(found[0] ?? ""));
  hands.same(/Requests › Retry policy ?docs\/guides\/requests\.md ?A failed request is sent again/.test(rows[0]), true, rows[0]);
  await hands.shot("2-ask");
}

async function movingShowsTheHeadingAndEscapeBringsTheViewBack() {
  await hands.press("Escape");
  await hands.goTo(8, 5);
  await hands.shortcut();
  await hands.type("who is woken up at night?");
  await hands.rowsWhen((found) => found.length > 1 && /called at night/.test(found[0]));
  hands.same(await hands.activeTab(), "app.py", "nothing is shown before the selection moves");
  await hands.press("ArrowDown");
  await until(async () => (await hands.activeTab()) !== "app.py", "a preview");
  await hands.press("ArrowUp");
  await until(async () => (await hands.activeTab()) === "alerts.md", "the preview of the first hit");
  await hands.shot("3-preview");
  await hands.press("Escape");
  await until(async () => (await hands.tabs()).join() === "app.py", "the tabs of before");
  await hands.at("Ln 8, Col 5");
}

async function escapeScrollsBackToo() {
  await hands.openFile(join(vs.workspace, "long.txt"));
  await hands.goTo(120, 3);
  let before;
  // Twice the same: nothing is being scrolled any more.
  await until(async () => before === (before = await hands.topLine()) && before > 60, "the lines around 120");
  await hands.shortcut();
  await hands.type("who may invite people?");
  await hands.rowsWhen((found) => /Roles/.test(found[0] ?? ""));
  for (let moves = 0; moves < 3; moves++) await hands.press("ArrowDown");
  await until(async () => (await hands.activeTab()) !== "long.txt", "a preview");
  await hands.press("Escape");
  await until(async () => (await hands.topLine()) === before, `line ${before} on top again`, 30);
  await hands.at("Ln 120, Col 3");
  await hands.run("View: Close Editor");
}

async function enterInAHurryOpensWhatWasTypedLast() {
  await hands.shortcut();
  await hands.type("how are customers told?");
  await hands.press("Enter");
  await until(async () => (await hands.activeTab()) === "releases.md", "the file of the first hit");
  await hands.at("Ln 8, Col 1");
}

async function enterOpensWithTheCursorOnTheHeading() {
  await hands.run("Docs: Ask a Question…");
  await hands.type(KOREAN);
  await hands.rowsWhen((found) => /Retry policy/.test(found[0] ?? ""));
  await hands.press("Enter");
  await until(async () => (await hands.activeTab()) === "requests.md", "the file");
  await hands.at("Ln 9, Col 1");
  await hands.shot("4-opened");
}

async function theOrderIsTheServersEvenWhereALabelHoldsWhatWasTyped() {
  for (const question of ["release", "database", "request"]) {
    await hands.run("Docs: Ask a Question…");
    await hands.type(question);
    const asked = spawnSync(program, ["query", vs.workspace, question, "--json"], { encoding: "utf8" });
    const wanted = JSON.parse(asked.stdout).hits.map((hit) => hit.path);
    const files = (found) => found.map((row) => wanted.find((path) => row.includes(path)));
    const rows = await hands.rowsWhen((found) => found.length === wanted.length && files(found).join() === wanted.join());
    hands.same(files(rows).join(), wanted.join(), question);
    await hands.press("Escape");
  }
}

async function theCodeActionOnASentenceOfAProgram() {
  await hands.openFile(join(vs.workspace, "app.py"));
  await hands.goTo(7, 7);
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Control+Period");
  const action = page.locator(".action-widget .monaco-list-row", { hasText: "Open docs: Requests > Retry policy" });
  await action.waitFor({ timeout: 30000 });
  await hands.shot("5-code-action");
  await page.keyboard.press("Enter");
  await until(async () => (await hands.activeTab()) === "requests.md", "the file of the code action");
  await hands.at("Ln 9");
}

async function askAboutSelection() {
  await hands.openFile(join(vs.workspace, "app.py"));
  await hands.goTo(7, 7);
  await page.keyboard.press("Shift+End");
  await hands.run("Docs: Ask About Selection");
  const rows = await hands.rowsWhen((found) => /Retry policy/.test(found[0] ?? ""));
  hands.same(/Retry policy/.test(rows[0]), true, rows[0]);
  await hands.press("Escape");
}

async function copiedLink() {
  await hands.openFile(join(vs.workspace, "app.py"));
  await hands.run("Docs: Ask a Question…");
  await hands.type("how do I get the database back?");
  await hands.rowsWhen((found) => /Restoring the database/.test(found[0] ?? ""));
  await hands.press("Control+k");
  await hands.press("Control+l");
  const link = "[Backup and restore › Restoring the database](docs/operations/backup.md#restoring-the-database)";
  await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === link, "the link");
  await hands.press("Escape");
}

async function toTheSide() {
  await hands.run("Docs: Ask a Question…");
  await hands.type("how do I get the database back?");
  await hands.rowsWhen((found) => /Restoring the database/.test(found[0] ?? ""));
  await hands.press("Control+\\");
  await until(async () => (await page.locator(".editor-group-container").count()) === 2, "a second group");
  await until(async () => (await hands.tabs()).includes("backup.md"), "the file to the side");
  await page.keyboard.press("Control+k");
  await page.keyboard.press("w"); // closes the group
  await until(async () => (await page.locator(".editor-group-container").count()) === 1, "one group");
}

async function unsavedEditsCount() {
  await hands.openFile(join(vs.workspace, "docs/guides/accounts.md"));
  await hands.goTo(1, 1);
  await page.keyboard.type("# Parking\n\nThe bicycle garage opens at six in the morning.\n\n");
  await hands.run("Docs: Ask a Question…");
  await hands.type("when can I lock up my bike?");
  await hands.rowsWhen((found) => /Parking/.test(found[0] ?? ""));
  await hands.shot("6-unsaved");
  await hands.press("Enter");
  await hands.at("Ln 1, Col 1");
  await hands.run("File: Revert File");
}

async function aServerThatIsKilledIsStartedAgainAndAnswers() {
  const running = () => processesBelow(vs.pid, /ddg-lsp serve --stdio$/);
  const [before] = await until(() => running().length && running(), "the server's process");
  process.kill(before.pid, "SIGKILL");
  await hands.run("Docs: Ask a Question…");
  await hands.type("how are customers told?");
  await hands.rowsWhen((found) => /Announcing/.test(found[0] ?? ""));
  const [after, ...others] = running();
  hands.same(after.pid !== before.pid && others.length === 0, true, JSON.stringify([before, after, ...others]));
  await hands.press("Escape");
}

async function theAnswerIsKeptForReadingOn() {
  await hands.run("Docs: Ask a Question…");
  await hands.type("what is done at night?");
  await hands.rowsWhen((found) => /called at night/.test(found[0] ?? ""));
  await hands.press("Enter");
  await until(async () => (await hands.activeTab()) === "alerts.md", "the first heading");
  await page.locator(".activitybar .action-item", { has: page.locator("[aria-label='Docs']") }).first().click();
  const tree = page.locator(".pane-body .monaco-list-row");
  await until(async () => (await tree.count()) > 2, "the results");
  const before = "alerts.md";
  await hands.run("Docs: Next Heading of the Answer");
  await until(async () => (await hands.activeTab()) !== before, "the next heading");
  await hands.shot("7-results");
}

async function statusTellsOfEveryFile() {
  await hands.run("Docs: Show Status");
  await hands.rowsWhen((found) => found.some((row) => /secrets\.md.*its name looks like a place for secrets/.test(row)));
  const rows = await hands.rowsWhen((found) => /^Ready/.test(found[0] ?? "")); // it follows while the index is built
  hands.same(rows.some((row) => /docs\/guides\/requests\.md.*passages/.test(row)), true, JSON.stringify(rows));
  await hands.shot("8-status");
  await hands.press("Escape");
  await hands.openFile(join(vs.workspace, "docs/guides/requests.md"));
  await page.locator("[id='status.languageStatus']").click();
  await page.locator(".hover-language-status", { hasText: "Docs: ready" }).first().waitFor({ timeout: 15000 });
  await hands.shot("9-language-status");
  await hands.press("Escape");
}

async function anIndexBeingBuiltSaysSo() {
  mkdirSync(join(vs.workspace, "docs/many"));
  const words = ["river", "winter", "copper", "garden", "engine", "letter", "harbour", "violin", "lantern", "valley"];
  for (let number = 0; number < 300; number++) {
    const body = Array.from({ length: 90 }, (_, at) => words[(number * 7 + at * (1 + (number % 9))) % 10] + ((number * at) % 97)).join(" ");
    writeFileSync(join(vs.workspace, `docs/many/page-${number}.md`), `# Page ${number}\n\n${body}.\n\n## More of ${number}\n\n${body}\n`);
  }
  await hands.run("Docs: Ask a Question…");
  await hands.type("where is the lantern?");
  await until(async () => /indexing \d+ of \d+/.test(await hands.title()), "the state of the index", 60);
  await hands.rowsWhen((found) => found.length > 0);
  await hands.shot("10-building");
  const early = await hands.title();
  await until(async () => (await hands.title()) !== early, "progress in the title");
  log(`     ${early} -> ${await hands.title()}`);
  await hands.press("Escape");
}

await hands.all(
  [
    palette,
    koreanQuestionOverEnglishDocs,
    movingShowsTheHeadingAndEscapeBringsTheViewBack,
    escapeScrollsBackToo,
    enterOpensWithTheCursorOnTheHeading,
    enterInAHurryOpensWhatWasTypedLast,
    theOrderIsTheServersEvenWhereALabelHoldsWhatWasTyped,
    theCodeActionOnASentenceOfAProgram,
    askAboutSelection,
    copiedLink,
    toTheSide,
    unsavedEditsCount,
    aServerThatIsKilledIsStartedAgainAndAnswers,
    theAnswerIsKeptForReadingOn,
    statusTellsOfEveryFile,
    anIndexBeingBuiltSaysSo,
  ],
  vs,
);
