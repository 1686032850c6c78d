/**
 * What the user means by "this": the selection, else the word under the cursor.
 */

import * as vscode from "vscode";

import { MAX_QUESTION } from "../wire";

export function selectedWords(): string {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return "";
  }
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
  // A question is one line.
  return range ? document.getText(range).replace(/\s+/g, " ").trim().slice(0, MAX_QUESTION) : "";
}
