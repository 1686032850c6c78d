/**
 * "Docs: Show Status": the condition of everything, and of every file whether it is searched or why not.
 */

import * as vscode from "vscode";

import type { Session } from "../server/session";
import { parseFullStatus, SHOW_STATUS } from "../wire";
import { plain } from "../words";
import { type Row, serverSentence, statusRows, statusText, type Told } from "./text";

interface Item extends vscode.QuickPickItem {
  row?: Row;
}

const ICONS = { fact: "info", indexed: "check", partly: "sync", skipped: "circle-slash" };
const COPY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("copy"), tooltip: "Copy as Text" };

export async function showStatus(session: Session, bundledVersion: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = "Docs: Status";
  pick.placeholder = "Type a file's name to see whether it is searched";
  pick.matchOnDescription = true;
  pick.busy = true;
  pick.keepScrollPosition = true;
  let told: Told | undefined;
  const refresh = async () => {
    told = await tell(session, bundledVersion, editor);
    pick.busy = !told.status.quiescent;
    pick.items = statusRows(told).map(toItem);
    pick.buttons = [COPY];
  };
  // While the index is built the list follows; a failure then leaves what is shown.
  const following = session.onDidChange(() => void refresh().catch(() => undefined));
  pick.onDidHide(() => {
    following.dispose();
    pick.dispose();
  });
  pick.onDidTriggerButton(() => {
    if (told) {
      void vscode.env.clipboard.writeText(statusText(told));
      vscode.window.setStatusBarMessage("$(copy) Status copied", 3000);
    }
  });
  pick.onDidAccept(() => {
    const file = pick.activeItems[0]?.row?.file;
    if (file && !file.path.endsWith("/")) {
      pick.hide();
      void vscode.window.showTextDocument(vscode.Uri.joinPath(vscode.Uri.parse(file.folder), file.path));
    }
  });
  pick.show();
  try {
    await refresh();
  } catch (error) {
    pick.hide();
    throw error;
  }
}

async function tell(session: Session, bundled: string, editor: vscode.TextEditor | undefined): Promise<Told> {
  const status = parseFullStatus(await session.command(SHOW_STATUS, { silent: true, files: true }));
  const { condition } = session;
  const server = condition.kind === "running" ? condition.server : undefined;
  const folder = editor && vscode.workspace.getWorkspaceFolder(editor.document.uri);
  const known = folder && status.folders.find(({ uri }) => vscode.Uri.parse(uri).path === folder.uri.path);
  return {
    status,
    server: server ? serverSentence(server.command, server.origin, server.version, bundled) : "",
    active: known && { folder: known.uri, path: vscode.workspace.asRelativePath(editor.document.uri, false) },
    folderName: (uri) => vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri))?.name ?? uri,
  };
}

function toItem(row: Row): Item {
  if (row.kind === "heading") {
    return { label: row.label, kind: vscode.QuickPickItemKind.Separator };
  }
  return { label: `$(${ICONS[row.kind]}) ${plain(row.label)}`, description: plain(row.description), row };
}
