/**
 * "Docs: Set Up": the private environment, with progress, a cancel button, and an error one can do something about.
 */

import * as vscode from "vscode";

import type { Bundle } from "./bundle";
import { pythonCandidates } from "./candidates";
import { isProgram } from "./find";
import { install, type Installed, SetUpError, tidy } from "./privateEnvironment";
import { choosePython, OLDEST_PYTHON } from "./python";
import { machineSetting, surroundings } from "./surroundings";

const RETRY = "Retry";
const CHOOSE = "Choose Python…";
const SHOW_LOG = "Show Log";

export class SetUp {
  private running: Promise<Installed | undefined> | undefined;

  constructor(
    private readonly storage: string,
    private readonly bundle: () => Promise<Bundle>,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Undefined when the user gave up. A second call waits for the first. */
  run(title: string): Promise<Installed | undefined> {
    this.running ??= this.untilDone(title).finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async untilDone(title: string): Promise<Installed | undefined> {
    for (;;) {
      try {
        return await this.once(title);
      } catch (error) {
        if (error instanceof SetUpError && error.cancelled) {
          this.log.info(error.message);
          return undefined;
        }
        if (!(await this.again(error instanceof Error ? error.message : String(error)))) {
          return undefined;
        }
      }
    }
  }

  private once(title: string): Promise<Installed> {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return Promise.resolve(
      vscode.window.withProgress(options, async (progress, token) => {
        const stop = new AbortController();
        token.onCancellationRequested(() => {
          stop.abort();
        });
        const { python, passed } = await choosePython(
          pythonCandidates(surroundings(undefined), machineSetting("server.python"), isProgram),
        );
        for (const line of passed) {
          this.log.info(`Passed over ${line}.`);
        }
        if (!python) {
          throw new SetUpError(noPython(passed));
        }
        const made = await install(this.storage, await this.bundle(), python, {
          step: (message) => {
            progress.report({ message });
          },
          log: (line) => {
            this.log.info(line);
          },
          signal: stop.signal,
        });
        await tidy(this.storage);
        return made;
      }),
    );
  }

  private async again(message: string): Promise<boolean> {
    this.log.error(message);
    for (;;) {
      const chosen = await vscode.window.showErrorMessage(`Docs: ${message}`, RETRY, CHOOSE, SHOW_LOG);
      if (chosen === SHOW_LOG) {
        this.log.show(true);
      } else if (chosen === CHOOSE) {
        if (await choosePythonFile()) {
          return true;
        }
      } else {
        return chosen === RETRY;
      }
    }
  }
}

function noPython(passed: readonly string[]): string {
  const oldest = OLDEST_PYTHON.join(".");
  const why = passed.length ? ` (${passed.slice(0, 3).join("; ")})` : "";
  return `No Python ${oldest} or newer was found${why}. Install one, or name it in ddg.server.python.`;
}

async function choosePythonFile(): Promise<boolean> {
  const [file] = (await vscode.window.showOpenDialog({ title: "The Python to use", openLabel: "Use" })) ?? [];
  if (file) {
    const settings = vscode.workspace.getConfiguration("ddg");
    await settings.update("server.python", file.fsPath, vscode.ConfigurationTarget.Global);
  }
  return file !== undefined;
}
