/**
 * What is in the list of hits: its items, and the buttons on them.
 */

import * as vscode from "vscode";

import type { Hit } from "../wire";
import { hitLine, type Line, plain } from "../words";
import { fileLabel } from "./navigate";

export interface Item extends vscode.QuickPickItem {
  hit?: Hit;
  question?: string;
}

export const SIDE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("split-horizontal"),
  tooltip: "Open to the Side (Ctrl+\\)",
};
export const LINK: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("link"),
  tooltip: "Copy Markdown Link (Ctrl+K Ctrl+L)",
};
export const KEEP: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("list-unordered"),
  tooltip: "Keep in the Results View",
};

export function hitItem(hit: Hit): Item {
  return { ...hitLine(hit, fileLabel(hit.uri, hit.path)), hit, alwaysShow: true, buttons: [SIDE, LINK] };
}

export function emptyItem(line: Line): Item {
  return { ...line, alwaysShow: true };
}

/** A question of before. */
export function recentItem(question: string): Item {
  return { label: `$(history) ${plain(question)}`, question, alwaysShow: true };
}

/** VS Code puts items whose label contains what was typed first, unless it is told not to; the order is the answer. */
export function keepOurOrder(pick: vscode.QuickPick<Item>): void {
  try {
    (pick as unknown as { sortByLabel: boolean }).sortByLabel = false;
  } catch {
    // This VS Code does not let extensions say so. The hits are all there, in an order of its own.
  }
}
