/**
 * The server for this window: found where it is, or the private one brought up to date first.
 */

import * as vscode from "vscode";

import type { Bundle } from "./bundle";
import { serverCandidates } from "./candidates";
import { firstThatWorks, type Found, isProgram } from "./find";
import { installed } from "./privateEnvironment";
import type { SetUp } from "./setUp";
import { surroundings } from "./surroundings";
import { compareVersions } from "./version";

export class Finder {
  constructor(
    private readonly storage: string,
    private readonly bundle: () => Promise<Bundle>,
    private readonly setUp: SetUp,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  async find(): Promise<Found | undefined> {
    const bundle = await this.bundle();
    const own = await installed(this.storage);
    const places = serverCandidates(surroundings(own?.command), isProgram);
    const { found, passed } = await firstThatWorks(places, bundle.minimum);
    for (const { command, why } of passed) {
      this.log.info(`Passed over ${command}: ${why}.`);
    }
    const named = passed.find(({ origin }) => origin === "setting");
    if (named && !found) {
      throw new Error(`The program in ddg.server.path cannot be used: ${named.why}.`);
    }
    const outdated = own !== undefined && own.digest !== bundle.digest;
    if (outdated && (found === undefined || found.origin === "private")) {
      return this.upgrade(bundle, found);
    }
    return found;
  }

  /** The user has set the private server up once; it follows the extension without being asked for again. */
  private async upgrade(bundle: Bundle, old: Found | undefined): Promise<Found | undefined> {
    if (old && compareVersions(old.version, bundle.version) > 0) {
      return old; // an older extension, and a newer server that still fits
    }
    this.log.info(`The extension brings ddg-lsp ${bundle.version}: the private environment is made anew.`);
    const fresh = await this.setUp.run("Updating the documentation server");
    return fresh ? { command: fresh.command, version: fresh.version, origin: "private" } : old;
  }
}
