/**
 * What the status says, in words: the line in the status item, and the rows of "Docs: Show Status". Pure.
 */

import { compareVersions } from "../server/version";
import type { FolderStatus, FullStatus, Index, Status } from "../wire";
import { indexNote } from "../words";

/** Why a file is not searched, for each reason of docs/reference/settings.md. */
export const REASONS: Readonly<Record<string, string>> = {
  hidden: "its name begins with a dot",
  "skip-folder": "other people's files, or build output",
  ignored: "left out by .gitignore",
  excluded: "left out by ddg.exclude or the workspace's own include",
  "secret-name": "its name looks like a place for secrets",
  "secret-content": "it holds a private key",
  "too-large": "larger than ddg.maxFileBytes",
  "too-many": "more documents than ddg.maxDocuments",
  "not-a-file": "not a file",
  "same-file": "listed under another name already",
  "link-outside": "a link that leaves the folder",
  "link-loop": "a link to itself or to a folder above",
  "broken-link": "a link to nothing",
  unreadable: "it cannot be opened",
  vanished: "it was there a moment ago",
  undecodable: "not text in a known encoding",
  "bad-name": "its name is not valid Unicode",
  published: "an llms.txt or one of its kind, made of the documents",
  more: "and more that are not listed",
};

export interface StatusLine {
  text: string;
  detail: string;
  busy: boolean;
  severity: "info" | "warning" | "error";
}

/** The line for a server that runs; its status is unknown for the first half second. */
export function runningLine(status: Status | undefined): StatusLine {
  if (!status) {
    return { text: "Docs: starting", detail: "", busy: true, severity: "info" };
  }
  const severity = status.health === "error" ? "error" : status.health === "warning" ? "warning" : "info";
  const note = indexNote(status.index);
  const detail = status.message || counts(status.index);
  return { text: `Docs: ${note || "ready"}`, detail, busy: !status.quiescent, severity };
}

export function counts(index: Index): string {
  const documents = index.documents === 1 ? "1 document" : `${index.documents} documents`;
  const passages = index.passages === 1 ? "1 passage" : `${index.passages} passages`;
  return `${documents}, ${passages}`;
}

export interface Row {
  kind: "heading" | "fact" | "indexed" | "partly" | "skipped";
  label: string;
  description: string;
  /** The folder's address and the path in it, of a file that can be opened. */
  file?: { folder: string; path: string };
}

export interface Told {
  status: FullStatus;
  /** Where the server was found, as a sentence. */
  server: string;
  /** The file the user is looking at: its folder and the path in it. */
  active: { folder: string; path: string } | undefined;
  folderName: (uri: string) => string;
}

/** Rows listed of one kind; "Copy as Text" has all. */
export const MAX_ROWS = 1000;

export function statusRows(told: Told, limit = MAX_ROWS): Row[] {
  const { status } = told;
  const rows: Row[] = [
    fact(capital(indexNote(status.index) || "ready"), counts(status.index)),
    fact(status.model ? status.model.id : "No model", status.reason),
    fact(`ddg-lsp ${status.version}`, told.server),
  ];
  if (status.message) {
    rows.push(fact(status.message, ""));
  }
  const several = status.folders.length > 1;
  const active = told.active && activeRow(told.active, status.folders);
  if (active) {
    rows.push({ kind: "heading", label: "This file", description: "" }, active);
  }
  for (const folder of status.folders) {
    const of = several ? ` — ${told.folderName(folder.uri)}` : "";
    rows.push(...section(`Left out (${folder.skipped.length})${of}`, skippedRows(folder), limit));
    rows.push(...section(`Searched (${folder.files.length})${of}`, indexedRows(folder), limit));
  }
  return rows;
}

/** The same for a report or a mail. */
export function statusText(told: Told): string {
  const lines = statusRows(told, Infinity).map(({ kind, label, description }) => {
    const words = description ? `${label}: ${description}` : label;
    return kind === "heading" ? `\n${label}` : kind === "fact" ? words : `  ${words}`;
  });
  return `${lines.join("\n")}\n`;
}

function fact(label: string, description: string): Row {
  return { kind: "fact", label, description };
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function section(title: string, rows: Row[], limit: number): Row[] {
  if (rows.length === 0) {
    return [];
  }
  const more: Row[] = rows.length > limit ? [fact(`and ${rows.length - limit} more`, "Copy as Text has them all")] : [];
  return [{ kind: "heading", label: title, description: "" }, ...rows.slice(0, limit), ...more];
}

function skippedRows(folder: FolderStatus): Row[] {
  return folder.skipped.map(({ path, reason }) => ({
    kind: "skipped",
    label: path,
    description: REASONS[reason] ?? reason,
    file: { folder: folder.uri, path },
  }));
}

function indexedRows(folder: FolderStatus): Row[] {
  return folder.files.map(({ path, passages, embedded }) => {
    const done = embedded >= passages || folder.index.state === "lexicalOnly";
    const description = done ? `${passages} passages` : `${embedded} of ${passages} passages so far`;
    return { kind: done ? "indexed" : "partly", label: path, description, file: { folder: folder.uri, path } };
  });
}

function activeRow(active: { folder: string; path: string }, folders: readonly FolderStatus[]): Row | undefined {
  const folder = folders.find((one) => one.uri === active.folder);
  if (!folder) {
    return undefined;
  }
  const rows = [...indexedRows(folder), ...skippedRows(folder)];
  const found = rows.find((row) => row.label === active.path);
  if (found) {
    return found.kind === "skipped" ? { ...found, description: `Not searched: ${found.description}` } : found;
  }
  const parent = skippedRows(folder).find((row) => row.label.endsWith("/") && active.path.startsWith(row.label));
  const why = parent ? `Not searched: ${parent.label} is left out, ${parent.description}` : "Not searched: no document";
  return { kind: "skipped", label: active.path, description: why, file: active };
}

/** A note when the server is older than the one that travels with the extension. */
export function serverSentence(command: string, origin: string, version: string, bundled: string): string {
  const from: Record<string, string> = {
    setting: "named in ddg.server.path",
    environment: "of the chosen Python environment",
    path: "found on PATH",
    private: "installed by the extension",
  };
  const older = compareVersions(version, bundled) < 0 ? `; the extension brings ${bundled}` : "";
  return `${from[origin] ?? origin}: ${command}${older}`;
}
