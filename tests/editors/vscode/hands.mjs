// What a user's hands and eyes do in the workbench, and the running of tests made of that.
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";

import { log, until } from "./workbench.mjs";

export class Hands {
  constructor(page, shots) {
    this.page = page;
    this.shots = shots;
    this.input = page.locator(".quick-input-widget input[type=text]");
    if (shots) mkdirSync(shots, { recursive: true });
  }

  /** Runs tests one after another; the process ends with 1 when one fails. */
  async all(tests, vs) {
    const only = process.env.ONLY?.split(",");
    let failed = 0;
    try {
      await this.page.locator(".explorer-folders-view .monaco-list-row").first().waitFor({ timeout: 90000 });
      await this.page.locator(".statusbar").waitFor();
      for (const test of tests.filter(({ name }) => !only || only.includes(name))) {
        try {
          await test();
          log(`ok   ${test.name}`);
        } catch (error) {
          failed++;
          log(`FAIL ${test.name}: ${error.stack}`);
          await this.shot(`failure-${test.name}`);
          await this.page.keyboard.press("Escape");
          await this.page.keyboard.press("Escape");
        }
      }
    } catch (error) {
      failed++;
      log(`FAIL ${error.stack}\n${vs.serverLog()}`);
      await this.shot("failure");
    } finally {
      await vs.stop();
    }
    console.log(failed ? `${failed} failed` : "all passed");
    process.exit(failed ? 1 : 0);
  }

  async shot(name) {
    if (this.shots) await this.page.screenshot({ path: join(this.shots, `${name}.png`) }).catch(() => {});
  }

  same(found, wanted, what) {
    if (found !== wanted) throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  }

  press(key) {
    return this.page.keyboard.press(key);
  }

  /** Into the list that is open, key by key. */
  async type(text) {
    await this.input.waitFor({ state: "visible", timeout: 15000 });
    await this.page.keyboard.type(text, { delay: 15 });
  }

  /** A command by its name in the palette, which lists a new extension's commands only some seconds after the start. */
  async run(command, shot) {
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: command }).first();
    for (let tries = 0; ; tries++) {
      await this.fill("F1", `>${command}`);
      try {
        await row.waitFor({ timeout: 2000 });
        break;
      } catch (error) {
        if (tries >= 30) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
    if (shot) await this.shot(shot);
    await this.page.keyboard.press("Enter");
    await until(async () => !(await this.inputValue()).startsWith(">"), `the palette after ${command}`, 15);
  }

  /** Opens a list by its key and types into it; again where a view that was still opening took the focus, and the list went. */
  async fill(key, text) {
    for (let tries = 0; ; tries++) {
      await this.page.keyboard.press(key);
      try {
        await this.input.waitFor({ state: "visible", timeout: 3000 });
        return await this.input.fill(text, { timeout: 3000 });
      } catch (error) {
        if (tries >= 10) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  async inputValue() {
    return (await this.seen(".quick-input-widget input[type=text]"))[0]?.value ?? "";
  }

  /**
   * What of `selector` is on the screen at one moment, top first: `[{text, value, y}]`. One look in the page itself: asked element
   * by element, a workbench that draws itself anew in between lets the second question wait for an element that is gone.
   */
  seen(selector) {
    const look = (wanted) => {
      const all = [...document.querySelectorAll(wanted)].filter((one) => one.getClientRects().length);
      const told = all.map((one) => ({ text: one.innerText.replace(/\s+/g, " ").trim(), value: one.value, y: one.getBoundingClientRect().top }));
      return told.sort((one, other) => one.y - other.y);
    };
    return this.page.evaluate(look, selector);
  }

  async shortcut() {
    await this.page.keyboard.press("Control+k");
    await this.page.keyboard.press("a");
    await this.pickerTitle("Ask the Docs");
  }

  /** By its whole path: the program that lists files is not there without install scripts. */
  async openFile(path) {
    const name = basename(path);
    await this.fill("Control+p", path);
    await this.rowsWhen((found) => found.length === 1 && found[0].startsWith(name));
    await this.page.keyboard.press("Enter");
    await until(async () => (await this.activeTab()) === name, `the tab ${name}`);
    await this.page.locator(".editor-instance .view-lines").first().waitFor();
  }

  async goTo(line, column) {
    await this.fill("Control+g", `:${line}:${column}`);
    await this.page.keyboard.press("Enter");
    await this.at(`Ln ${line}, Col ${column}`);
  }

  at(place) {
    return this.page.locator(".statusbar-item", { hasText: place }).first().waitFor({ timeout: 20000 });
  }

  async title() {
    return (await this.seen(".quick-input-title"))[0]?.text ?? "";
  }

  pickerTitle(text) {
    return until(async () => (await this.title()).includes(text), `the list "${text}"`, 60);
  }

  /** The list's rows, each on one line. */
  async rows() {
    return (await this.seen(".quick-input-list .monaco-list-row")).map(({ text }) => text);
  }

  async rowsWhen(check, seconds = 60) {
    let found = [];
    try {
      await until(async () => check((found = await this.rows())), "rows", seconds);
    } catch {
      throw new Error(`rows: ${JSON.stringify(found, undefined, 1)}`);
    }
    return found;
  }

  async tabs() {
    return (await this.seen(".tabs-container .tab .label-name")).map(({ text }) => text);
  }

  /** The number of the first line that is visible in the active editor; nothing while it is drawn. */
  async topLine() {
    const [editor] = await this.seen(".editor-group-container.active .monaco-editor .overflow-guard");
    const numbers = await this.seen(".editor-group-container.active .margin-view-overlays .line-numbers");
    return Number(numbers.find(({ y, text }) => y >= (editor?.y ?? Infinity) - 2 && text)?.text);
  }

  async activeTab() {
    return (await this.seen(".editor-group-container.active .tab.active .label-name"))[0]?.text ?? "";
  }
}
