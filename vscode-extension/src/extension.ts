/**
 * The way in: the parts are put together, and the server is started beside everything else.
 */

import { join } from "node:path";
import * as vscode from "vscode";

import { Asker } from "./asker";
import { registerCommands } from "./commands";
import { ResultsView } from "./results/view";
import { type Bundle, readBundle } from "./server/bundle";
import { Finder } from "./server/finder";
import { Session } from "./server/session";
import { SetUp } from "./server/setUp";
import { statusItem } from "./status/item";
import { type Answer, parseAnswer, QUERY } from "./wire";

/** What other extensions may use: `vscode.extensions.getExtension("ddg-lsp.ddg-lsp").exports`. */
export interface Api {
  /** Ask the documents of this window. Rejects when there is no server. */
  ask(query: string, options?: { limit?: number }, token?: vscode.CancellationToken): Promise<Answer>;
}

let session: Session | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const log = vscode.window.createOutputChannel("Docs", { log: true });
  const storage = join(context.globalStorageUri.fsPath, "server");
  const { minimumServer } = context.extension.packageJSON as { minimumServer: string };
  let bundle: Promise<Bundle> | undefined;
  const readOnce = () => (bundle ??= readBundle(context.extensionPath, minimumServer));
  const setUp = new SetUp(storage, readOnce, log);
  const finder = new Finder(storage, readOnce, setUp, log);
  const server = (session = new Session(() => finder.find(), log));
  const results = new ResultsView();
  const asker = new Asker(server, results, context.workspaceState, log);
  const bundledVersion = async () => (await readOnce()).version;
  context.subscriptions.push(
    log,
    server,
    results,
    asker,
    statusItem(server),
    registerCommands({ session: server, asker, results, setUp, log, bundledVersion }),
    server.onDidChange(({ kind }) => {
      void vscode.commands.executeCommand("setContext", "ddg.server", kind);
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("ddg.server.path")) {
        void server.restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      // What the workspace brings counts now; a server that runs already is as good.
      if (server.condition.kind !== "running") {
        void server.restart();
      }
    }),
  );
  void server.start(); // says itself how it went
  return {
    ask: async (query, options = {}, token) => parseAnswer(await server.request(QUERY, { query, ...options }, token)),
  };
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}
