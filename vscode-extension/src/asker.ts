/**
 * What the list of hits needs of the rest: the server's answers, the state of the index, and where answers are kept.
 */

import * as vscode from "vscode";

import type { Asking } from "./ask/picker";
import type { ResultsView } from "./results/view";
import { ServerFailed, ServerMissing, type Session } from "./server/session";
import type { Answer, Hit, Index } from "./wire";

const RECENT = "ddg.recent";
const MAX_RECENT = 10;

export class Asker implements Asking, vscode.Disposable {
  private readonly indexes = new vscode.EventEmitter<Index>();
  private readonly restarts = new vscode.EventEmitter<void>();
  private readonly listening: vscode.Disposable;
  readonly onIndex = this.indexes.event;
  readonly onRestart = this.restarts.event;

  constructor(
    private readonly session: Session,
    private readonly results: ResultsView,
    private readonly state: vscode.Memento,
    private readonly log: vscode.LogOutputChannel,
  ) {
    let before = session.condition.kind;
    this.listening = session.onDidChange((condition) => {
      if (condition.kind === "running" && condition.status) {
        this.indexes.fire(condition.status.index);
      } else if (condition.kind === "running" && before !== "running") {
        this.restarts.fire();
      }
      before = condition.kind;
    });
  }

  request(method: string, params: object, token?: vscode.CancellationToken): Promise<unknown> {
    return this.session.request(method, params, token);
  }

  get recent(): readonly string[] {
    const kept = this.state.get<unknown>(RECENT);
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === "string") : [];
  }

  keep(answer: Answer, chosen: Hit | undefined): void {
    this.results.set(answer, chosen);
    if (!chosen) {
      void this.results.show();
    }
    const recent = [answer.query, ...this.recent.filter((question) => question !== answer.query)];
    void this.state.update(RECENT, recent.slice(0, MAX_RECENT));
  }

  /** Tell the user; true when there is nothing to wait for. */
  trouble(error: unknown): boolean {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof ServerMissing) {
      void this.offer(message, { "Set Up": "ddg.setUp", "Show Log": "ddg.showLog" });
      return true;
    }
    this.log.error(message);
    if (error instanceof ServerFailed) {
      void this.offer(message, { Restart: "ddg.restartServer", "Show Log": "ddg.showLog" });
      return true;
    }
    return false;
  }

  dispose(): void {
    this.listening.dispose();
    this.indexes.dispose();
    this.restarts.dispose();
  }

  private async offer(message: string, ways: Record<string, string>): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(message, ...Object.keys(ways));
    const command = chosen && ways[chosen];
    if (command) {
      await vscode.commands.executeCommand(command);
    }
  }
}
