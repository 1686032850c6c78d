/**
 * The one server of this window: found, started, asked, started again, stopped. One change at a time.
 *
 * Owns the language client and the state everything else shows. Must not know what is asked, nor how it looks.
 */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { parseStatus, STATUS, type Status } from "../wire";
import type { Found } from "./find";

export type Condition =
  | { kind: "idle" | "starting" | "missing" }
  | { kind: "running"; server: Found; status: Status | undefined }
  | { kind: "failed"; message: string };

/** There is no server on this machine, as far as could be found. */
export class ServerMissing extends Error {
  constructor() {
    super("The documentation server is not installed yet.");
  }
}

/** The server is there but cannot be used; the message is for the user. */
export class ServerFailed extends Error {}

export type Find = () => Promise<Found | undefined>;

const ATTEMPTS = 3;

export class Session implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private known: Condition = { kind: "idle" };
  private queue: Promise<void> = Promise.resolve();
  private readonly changes = new vscode.EventEmitter<Condition>();
  readonly onDidChange = this.changes.event;

  constructor(
    private readonly find: Find,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  get condition(): Condition {
    return this.known;
  }

  /** Find and start a server, unless one runs. */
  start(): Promise<void> {
    return this.serially(async () => {
      if (this.client === undefined) {
        await this.begin();
      }
    });
  }

  /** Stop, find anew, start. */
  restart(): Promise<void> {
    return this.serially(async () => {
      await this.end();
      await this.begin();
    });
  }

  stop(): Promise<void> {
    return this.serially(() => this.end());
  }

  /** Ask the server. One that ends meanwhile is waited for, and asked again. Throws `ServerMissing`, `ServerFailed`. */
  async request(method: string, params: object, token?: vscode.CancellationToken): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.running();
      try {
        // An undefined token would be sent as a second parameter.
        return await (token ? client.sendRequest<unknown>(method, params, token) : client.sendRequest(method, params));
      } catch (error) {
        if (token?.isCancellationRequested || attempt === ATTEMPTS || !(await this.lost(error, client))) {
          throw error;
        }
        this.log.info("The server ended during a request; it is asked again.");
      }
    }
  }

  /** A command of the server. */
  command(name: string, argument: object): Promise<unknown> {
    return this.request("workspace/executeCommand", { command: name, arguments: [argument] });
  }

  dispose(): void {
    this.changes.dispose();
    void this.end();
  }

  /** The language client is large, and loaded when a server is started, not when VS Code is. */
  private kit() {
    return import("./client.js");
  }

  private serially(work: () => Promise<void>): Promise<void> {
    const done = this.queue.then(work);
    this.queue = done.catch(() => undefined);
    return done;
  }

  private async running(): Promise<LanguageClient> {
    if (this.known.kind !== "running") {
      await this.start();
    }
    if (this.known.kind === "starting") {
      await this.settled();
    }
    if (this.client === undefined || this.known.kind !== "running") {
      throw this.known.kind === "failed" ? new ServerFailed(this.known.message) : new ServerMissing();
    }
    return this.client;
  }

  private settled(): Promise<void> {
    return new Promise((resolve) => {
      const listening = this.onDidChange((condition) => {
        if (condition.kind !== "starting") {
          listening.dispose();
          resolve();
        }
      });
    });
  }

  private async begin(): Promise<void> {
    this.become({ kind: "starting" });
    try {
      const found = await this.find();
      if (found === undefined) {
        this.become({ kind: "missing" });
        return;
      }
      this.log.info(`Starting ${found.command} (${found.version}, from: ${found.origin})`);
      await this.connect(found);
    } catch (error) {
      await this.end();
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  private async connect(found: Found): Promise<void> {
    const { createClient, isRunning } = await this.kit();
    let ran = false;
    const client = createClient(found, this.log, {
      ran: () => ran,
      ended: (again) => {
        if (this.client !== client) {
          return;
        }
        if (again) {
          this.log.warn("The server ended; it is started again.");
          this.become({ kind: "starting" });
        } else if (ran) {
          this.client = undefined;
          this.fail("The documentation server keeps ending. The log says more; Docs: Restart Server tries again.");
        }
      },
    });
    this.client = client;
    client.onNotification(STATUS, (params: unknown) => {
      if (this.known.kind === "running" && this.client === client) {
        this.become({ kind: "running", server: found, status: parseStatus(params) });
      }
    });
    client.onDidChangeState(({ newState }) => {
      if (this.client === client && isRunning(newState)) {
        ran = true;
        this.become({ kind: "running", server: found, status: undefined });
      }
    });
    await client.start();
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client === undefined) {
      return;
    }
    this.become({ kind: "idle" });
    if ((await this.kit()).isStarting(client.state)) {
      await client.start().catch(() => undefined); // one that is starting cannot be stopped
    }
    await client.dispose().catch((error: unknown) => {
      this.log.debug(`Stopping: ${String(error)}`);
    });
  }

  private fail(message: string): void {
    this.log.error(message);
    this.become({ kind: "failed", message });
  }

  private become(condition: Condition): void {
    this.known = condition;
    this.changes.fire(condition);
  }

  /** Whether the request failed because the connection did, and not because of what was asked. */
  private async lost(error: unknown, client: LanguageClient): Promise<boolean> {
    if (!(await this.kit()).isRunning(client.state)) {
      return true;
    }
    const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
    // PendingResponseRejected, MessageWriteError, MessageReadError, ConnectionInactive
    return typeof code === "number" && code <= -32096 && code >= -32099;
  }
}
