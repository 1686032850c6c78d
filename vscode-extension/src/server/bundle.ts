/**
 * The server that travels inside the extension: a wheel, and what it is. Written by `scripts/wheel.mjs`.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Bundle {
  /** The wheel's whole path. */
  wheel: string;
  version: string;
  /** The first characters of the wheel's SHA-256: two builds of one version differ. */
  digest: string;
  /** The oldest server this extension can work with. */
  minimum: string;
}

export async function readBundle(extensionPath: string, minimum: string): Promise<Bundle> {
  const folder = join(extensionPath, "dist", "server");
  const told = JSON.parse(await readFile(join(folder, "server.json"), "utf8")) as Record<string, unknown>;
  const { wheel, version, digest } = told;
  if (typeof wheel !== "string" || typeof version !== "string" || typeof digest !== "string") {
    throw new Error("dist/server/server.json is damaged.");
  }
  return { wheel: join(folder, wheel), version, digest, minimum };
}
