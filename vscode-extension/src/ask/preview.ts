/**
 * Looking at headings while choosing, and putting the editor back as it was.
 *
 * Owns what is on the screen between the first look and the end of choosing. Steps are done one after another, and a
 * look that was overtaken by the next one is not made at all.
 */

import * as vscode from "vscode";

import type { Hit } from "../wire";
import { toRange } from "./navigate";

const SETTLE_MS = 500;
const MAX_SCROLLS = 3;

export interface View {
  document: vscode.TextDocument;
  viewColumn: vscode.ViewColumn | undefined;
  selections: readonly vscode.Selection[];
  top: vscode.Range | undefined;
  /** In a tab that the next file would take over. */
  passing: boolean;
}

export class Preview implements vscode.Disposable {
  /** What was on the screen before the first look. */
  readonly before: View | undefined = currentView();
  private readonly tabsBefore = new Set(allTabs().map(tabKey));
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
  });
  private steps: Promise<void> = Promise.resolve();
  private newest = 0;
  private readonly shown = new Set<string>();
  private marked: vscode.TextEditor | undefined;

  /** Show a hit's heading; the focus stays where it is. */
  show(hit: Hit): void {
    const mine = ++this.newest;
    this.then(() => (mine === this.newest ? this.look(hit) : Promise.resolve()));
  }

  /** Everything as it was before the first look. */
  restore(): Promise<void> {
    this.newest++;
    this.then(() => (this.shown.size ? this.goBack() : Promise.resolve()));
    return this.steps;
  }

  /** What is shown stays. Resolves when no look is under way any more. */
  keep(): Promise<void> {
    this.newest++;
    return this.steps;
  }

  dispose(): void {
    this.highlight.dispose(); // takes the marks with it
  }

  private then(step: () => Promise<void>): void {
    this.steps = this.steps.then(step).catch(() => undefined); // a file that is gone cannot be looked at
  }

  private async look(hit: Hit): Promise<void> {
    const range = toRange(hit.selectionRange);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(hit.uri, true));
    this.shown.add(document.uri.toString());
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: this.before?.viewColumn ?? vscode.ViewColumn.Active,
      preview: true,
      preserveFocus: true,
      selection: new vscode.Range(range.start, range.start),
    });
    // Not at the top: that is behind the list.
    editor.revealRange(range, vscode.TextEditorRevealType.InCenter);
    if (this.marked && this.marked !== editor) {
      this.marked.setDecorations(this.highlight, []);
    }
    this.marked = editor;
    editor.setDecorations(this.highlight, [range]);
  }

  private async goBack(): Promise<void> {
    const { before } = this;
    if (before) {
      const editor = await vscode.window.showTextDocument(before.document.uri, {
        preview: before.passing,
        ...(before.viewColumn === undefined ? {} : { viewColumn: before.viewColumn }),
      });
      editor.selections = before.selections;
      if (before.top) {
        await scrollTo(editor, before.top);
      }
    }
    const ours = allTabs().filter((tab) => !tab.isDirty && this.opened(tab) && !this.tabsBefore.has(tabKey(tab)));
    if (ours.length) {
      await vscode.window.tabGroups.close(ours, before !== undefined);
    }
  }

  private opened(tab: vscode.Tab): boolean {
    return tab.input instanceof vscode.TabInputText && this.shown.has(tab.input.uri.toString());
  }
}

/**
 * By lines, from where VS Code has put the editor, which is often right already. Revealing the first line would not do:
 * headings that stay at the top while one scrolls on take room above it.
 */
async function scrollTo(editor: vscode.TextEditor, top: vscode.Range): Promise<void> {
  for (let tries = 0; tries < MAX_SCROLLS; tries++) {
    const missing = top.start.line - (editor.visibleRanges[0]?.start.line ?? 0);
    if (missing === 0) {
      return;
    }
    const scrolled = nextScroll(editor);
    const how = { to: missing > 0 ? "down" : "up", by: "line", value: Math.abs(missing), revealCursor: false };
    await vscode.commands.executeCommand("editorScroll", how);
    await scrolled;
  }
}

/** Resolves when VS Code tells that something else is visible, or has nothing to tell. */
function nextScroll(editor: vscode.TextEditor): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      listening.dispose();
      resolve();
    };
    const timer = setTimeout(done, SETTLE_MS);
    const listening = vscode.window.onDidChangeTextEditorVisibleRanges((change) => {
      if (change.textEditor === editor) {
        done();
      }
    });
  });
}

function currentView(): View | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return undefined;
  }
  return {
    document: editor.document,
    viewColumn: editor.viewColumn,
    selections: editor.selections,
    top: editor.visibleRanges[0],
    passing: vscode.window.tabGroups.activeTabGroup.activeTab?.isPreview ?? false,
  };
}

function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

function tabKey(tab: vscode.Tab): string {
  const { input } = tab;
  const name = input instanceof vscode.TabInputText ? input.uri.toString() : tab.label;
  return `${tab.group.viewColumn} ${name}`;
}
