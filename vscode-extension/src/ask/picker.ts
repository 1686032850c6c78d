/**
 * The list of hits that is asked as the user types.
 *
 * Owns the QuickPick of one question: what is in it, what its keys and buttons do, and when it is asked. Must not know
 * how the server is found or started.
 */

import * as vscode from "vscode";

import { answerTitle, emptyLine } from "../words";
import { type Answer, type Hit, type Index, MAX_QUESTION, parseAnswer, QUERY } from "../wire";
import { copyLink } from "./copyLink";
import { emptyItem, hitItem, type Item, KEEP, keepOurOrder, recentItem, SIDE } from "./items";
import { open } from "./navigate";
import { Newest } from "./newest";
import { Preview } from "./preview";

/** Long enough that a quick typist asks once a word, short enough not to be felt. */
export const PAUSE_MS = 120;
const CONTEXT = "ddg.asking";

export interface Asking {
  request(method: string, params: object, token?: vscode.CancellationToken): Promise<unknown>;
  /** The state of the index has changed. */
  onIndex: vscode.Event<Index>;
  /** The server has been started again. */
  onRestart: vscode.Event<void>;
  /** A question was answered and the user has chosen, or wants to keep the answer. */
  keep(answer: Answer, chosen: Hit | undefined): void;
  /** A question could not be asked. True when there is nothing to wait for: the list is closed. */
  trouble(error: unknown): boolean;
  /** Questions of before, newest first. */
  recent: readonly string[];
}

export class Picker {
  private static current: Picker | undefined;

  private readonly pick = vscode.window.createQuickPick<Item>();
  private readonly preview = new Preview();
  private readonly newest: Newest<Answer>;
  private readonly around: vscode.Disposable;
  private answer: Answer | undefined;
  private index: Index | undefined;
  /** The item VS Code made active by itself, which is no wish to see it. */
  private first: Item | undefined;
  private moved = false;
  /** Enter came before the answer to what was typed last: its first hit is what the user wants. */
  private hurried = false;
  private done = false;

  /** Open the list, with a question in it already or without. */
  static show(asking: Asking, question = ""): Picker {
    Picker.current?.pick.hide();
    const picker = new Picker(asking);
    Picker.current = picker;
    picker.begin(question);
    return picker;
  }

  /** For the keys that work while the list is open. */
  static async openActiveToSide(): Promise<void> {
    await Picker.current?.choose(Picker.current.pick.activeItems[0], true);
  }

  static async copyActiveLink(): Promise<void> {
    const picker = Picker.current;
    const hit = picker?.pick.activeItems[0]?.hit;
    if (picker && hit) {
      await copyLink(hit, picker.preview.before?.document);
    }
  }

  private constructor(private readonly asking: Asking) {
    this.newest = new Newest(
      (question, signal) => this.ask(question, signal),
      {
        answer: (answer) => {
          this.take(answer);
        },
        failure: (error) => {
          this.fail(error);
        },
        busy: (busy) => {
          this.pick.busy = busy;
        },
      },
      PAUSE_MS,
    );
    const { pick } = this;
    pick.title = answerTitle(undefined, undefined);
    pick.placeholder = "What do you want to know? In your own words, in any language";
    pick.buttons = [KEEP];
    keepOurOrder(pick);
    this.around = vscode.Disposable.from(pick, this.preview, ...this.listeners());
  }

  private listeners(): vscode.Disposable[] {
    const { pick, asking } = this;
    return [
      pick.onDidChangeValue((value) => {
        this.typed(value);
      }),
      pick.onDidChangeActive(([item]) => {
        this.activated(item);
      }),
      pick.onDidAccept(() => {
        this.hurried = pick.busy && !this.moved && pick.value.trim() !== "";
        if (!this.hurried) {
          void this.choose(pick.activeItems[0], false);
        }
      }),
      pick.onDidTriggerItemButton(({ item, button }) => void this.pressed(item, button)),
      pick.onDidTriggerButton(() => {
        if (this.answer?.hits.length) {
          this.asking.keep(this.answer, undefined);
          this.pick.hide();
        }
      }),
      pick.onDidHide(() => void this.end()),
      asking.onIndex((index) => {
        this.indexed(index);
      }),
      asking.onRestart(() => {
        if (this.pick.busy || !this.answer) {
          this.again();
        }
      }),
    ];
  }

  private begin(question: string): void {
    void vscode.commands.executeCommand("setContext", CONTEXT, true);
    this.pick.value = question;
    this.pick.show();
    if (question.trim()) {
      void this.newest.now(question);
    } else {
      this.showRecent();
    }
  }

  private typed(value: string): void {
    this.moved = false;
    this.hurried = false;
    if (value.trim()) {
      if (this.answer || this.pick.busy) {
        this.newest.soon(value);
      } else {
        this.put([]); // the questions of before are no answers to this one
        void this.newest.now(value); // the first letter need not wait for a second
      }
    } else {
      this.newest.cancel();
      this.answer = undefined;
      this.showRecent();
    }
  }

  private again(): void {
    if (this.pick.value.trim()) {
      void this.newest.now(this.pick.value);
    }
  }

  private async ask(question: string, signal: AbortSignal): Promise<Answer> {
    const source = new vscode.CancellationTokenSource();
    const cancel = () => {
      source.cancel();
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const query = question.trim().slice(0, MAX_QUESTION);
      return parseAnswer(await this.asking.request(QUERY, { query }, source.token));
    } finally {
      signal.removeEventListener("abort", cancel);
      source.dispose();
    }
  }

  private take(answer: Answer): void {
    this.answer = answer;
    this.index = answer.index;
    const items = answer.hits.length ? answer.hits.map(hitItem) : [emptyItem(emptyLine(answer.index))];
    this.put(items);
    if (this.hurried) {
      void this.choose(items[0], false);
    }
  }

  private put(items: Item[]): void {
    this.first = items[0];
    this.moved = false;
    this.pick.items = items;
    this.pick.title = answerTitle(this.answer?.hits, this.index);
  }

  private showRecent(): void {
    this.put(this.asking.recent.map(recentItem));
  }

  private fail(error: unknown): void {
    this.put([emptyItem({ label: "$(error) The question was not answered", description: "", detail: text(error) })]);
    if (this.asking.trouble(error)) {
      this.pick.hide();
    }
  }

  private indexed(index: Index): void {
    const better = this.index?.state === "building" && index.state !== "building";
    this.index = index;
    this.pick.title = answerTitle(this.answer?.hits, index);
    // More can be found now. Nobody likes a list that changes under the cursor, so only while nothing was chosen.
    if (better && !this.moved && !this.pick.busy) {
      this.again();
    }
  }

  private activated(item: Item | undefined): void {
    if (!item || (item === this.first && !this.moved)) {
      return;
    }
    this.moved = true;
    if (item.hit) {
      this.preview.show(item.hit);
    }
  }

  private async choose(item: Item | undefined, toSide: boolean): Promise<void> {
    if (item?.question !== undefined) {
      this.pick.value = item.question;
      this.typed(item.question);
      return;
    }
    if (!item?.hit || !this.answer || this.done) {
      return;
    }
    const { hit } = item;
    const answer = this.answer;
    this.done = true;
    this.pick.hide();
    await (toSide ? this.preview.restore() : this.preview.keep());
    this.asking.keep(answer, hit);
    try {
      await open({ uri: hit.uri, range: hit.selectionRange }, { toSide });
    } catch (error) {
      void vscode.window.showErrorMessage(`${hit.path} cannot be opened: ${text(error)}`);
    }
  }

  private async pressed(item: Item, button: vscode.QuickInputButton): Promise<void> {
    if (button === SIDE) {
      await this.choose(item, true);
    } else if (item.hit) {
      await copyLink(item.hit, this.preview.before?.document);
    }
  }

  private async end(): Promise<void> {
    this.newest.cancel();
    if (Picker.current === this) {
      Picker.current = undefined;
      void vscode.commands.executeCommand("setContext", CONTEXT, false);
    }
    if (!this.done) {
      this.done = true;
      await this.preview.restore();
    } else {
      await this.preview.keep();
    }
    this.around.dispose();
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
