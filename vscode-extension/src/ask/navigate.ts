/**
 * Showing places in the editor.
 */

import * as vscode from "vscode";

import type { Range } from "../wire";

export interface Place {
  uri: string;
  range: Range;
}

export function toRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Open a place with the cursor at its beginning, which is the heading's line. */
export async function open(place: Place, options: { toSide?: boolean; focus?: boolean } = {}): Promise<void> {
  const { toSide = false, focus = true } = options;
  const at = toRange(place.range).start;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(place.uri, true));
  const editor = await vscode.window.showTextDocument(document, {
    viewColumn: toSide ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
    preview: vscode.workspace.getConfiguration("workbench.editor").get("enablePreview", true),
    preserveFocus: !focus,
    selection: new vscode.Range(at, at),
  });
  reveal(editor, toRange(place.range));
}

/** The heading at the top, where its section can be read on. */
export function reveal(editor: vscode.TextEditor, range: vscode.Range): void {
  editor.revealRange(range, vscode.TextEditorRevealType.AtTop);
}

/** The file as the user knows it: with its folder's name where there are several. */
export function fileLabel(uri: string, path: string): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = folders.length > 1 ? vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri)) : undefined;
  return folder ? `${folder.name}/${path}` : path;
}
