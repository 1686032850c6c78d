/**
 * The language client: what the server is started with, what we can, and what happens when it ends.
 */

import { homedir } from "node:os";
import type * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  type ServerOptions,
  State,
  type StaticFeature,
} from "vscode-languageclient/node";

import { STATUS_CAPABILITY } from "../wire";
import { cleanEnvironment } from "./privateEnvironment";
import type { Found } from "./find";

export const MAX_RESTARTS = 4;
export const RESTART_WINDOW_MS = 3 * 60 * 1000;

export interface ClientListener {
  /** Whether the server has been running since it was first started. */
  ran(): boolean;
  /** The server ended; `again`: it is started once more. */
  ended(again: boolean): void;
}

export const isRunning = (state: State) => state === State.Running;
export const isStarting = (state: State) => state === State.Starting;

export function createClient(found: Found, log: vscode.LogOutputChannel, listener: ClientListener): LanguageClient {
  const env = found.origin === "private" ? cleanEnvironment(process.env) : { ...process.env };
  // Not in the workspace: nothing that lies there may be taken for a part of the server.
  const server: ServerOptions = {
    command: found.command,
    args: ["serve", "--stdio"],
    options: { cwd: homedir(), env, detached: false },
  };
  const options: LanguageClientOptions = {
    // Any language: the code action is offered on a word of a program, too.
    documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: closing(listener),
    },
  };
  const client = new LanguageClient("ddg", "Docs", server, options);
  client.registerFeature(statusCapability());
  return client;
}

function closing(listener: ClientListener) {
  const ends: number[] = [];
  return () => {
    ends.push(Date.now());
    const recent = ends.filter((at) => Date.now() - at < RESTART_WINDOW_MS);
    // One that never got as far as running would end the same way again.
    const again = listener.ran() && recent.length <= MAX_RESTARTS;
    listener.ended(again);
    return { action: again ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true };
  };
}

function statusCapability(): StaticFeature {
  return {
    fillClientCapabilities: (capabilities) => {
      const experimental = (capabilities.experimental ?? {}) as Record<string, unknown>;
      capabilities.experimental = { ...experimental, [STATUS_CAPABILITY]: true };
    },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  };
}
