/**
 * A Markdown link to a hit, on the clipboard: relative to the Markdown file one is writing in, else to its folder.
 */

import { posix } from "node:path";
import * as vscode from "vscode";

import { markdownLink } from "../links";
import type { Hit } from "../wire";
import { headingPath } from "../words";

/** `writing`: the document the link will probably go into. */
export async function copyLink(hit: Hit, writing = vscode.window.activeTextEditor?.document): Promise<void> {
  const uri = vscode.Uri.parse(hit.uri, true);
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const shared = writing?.languageId === "markdown" && writing.uri.toString() !== uri.toString();
  const near = shared && folder && vscode.workspace.getWorkspaceFolder(writing.uri) === folder;
  const from = near ? posix.dirname(writing.uri.path) : (folder?.uri.path ?? posix.dirname(uri.path));
  // The page's title needs no anchor.
  const heading = hit.headings.length > 1 ? hit.headings.at(-1) : undefined;
  await vscode.env.clipboard.writeText(markdownLink(headingPath(hit.headings, hit.path), uri.path, heading, from));
  vscode.window.setStatusBarMessage("$(link) Markdown link copied", 3000);
}
