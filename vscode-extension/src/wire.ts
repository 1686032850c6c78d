/**
 * What the server says and is asked, as docs/reference/protocol.md has it: names, shapes, and the checks of what arrives.
 *
 * Must not know VS Code. Unknown fields are passed over: the protocol may grow.
 */

export const QUERY = "workspace/semanticDocQuery";
export const STATUS = "ddg/status";
export const REINDEX = "ddg.server.reindex";
export const SHOW_STATUS = "ddg.server.showStatus";
export const STATUS_CAPABILITY = "ddgStatus";
export const MAX_QUESTION = 2000;

export interface Position {
  line: number;
  /** In UTF-16 units, as VS Code counts. */
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface Skip {
  path: string;
  reason: string;
}

export interface Heading {
  headings: string[];
  range: Range;
}

export interface Alternate {
  uri: string;
  path: string;
  language?: string;
}

export interface Hit {
  uri: string;
  /** Relative to its workspace folder, with `/`. */
  path: string;
  headings: string[];
  range: Range;
  /** The heading's line. */
  selectionRange: Range;
  excerpt: string;
  weak: boolean;
  alsoIn: Heading[];
  alternates: Alternate[];
}

export interface Index {
  state: string;
  documents: number;
  passages: number;
  openings: number;
  embedded: number;
  message: string;
}

export interface Answer {
  query: string;
  revision: number;
  elapsedMs: number;
  index: Index;
  hits: Hit[];
}

export interface Model {
  embedder: string;
  id: string;
  dimensions: number;
}

export interface Status {
  health: string;
  quiescent: boolean;
  message: string;
  index: Index;
  model: Model | undefined;
}

export interface IndexedFile {
  path: string;
  passages: number;
  embedded: number;
}

export interface FolderStatus {
  uri: string;
  index: Index;
  files: IndexedFile[];
  skipped: Skip[];
}

export interface FullStatus extends Status {
  version: string;
  reason: string;
  folders: FolderStatus[];
}

/** The server said something that is none of the protocol's shapes. */
export class WireError extends Error {
  constructor(what: string) {
    super(`The documentation server's answer cannot be read (${what}). It may be of another version.`);
  }
}

type Fields = Record<string, unknown>;

export function parseAnswer(value: unknown): Answer {
  const fields = object(value, "answer");
  return {
    query: text(fields.query),
    revision: count(fields.revision),
    elapsedMs: count(fields.elapsedMs),
    index: parseIndex(fields.index),
    hits: list(fields.hits, "hits").map(parseHit),
  };
}

export function parseStatus(value: unknown): Status {
  const fields = object(value, "status");
  return {
    health: text(fields.health),
    quiescent: fields.quiescent === true,
    message: text(fields.message),
    index: parseIndex(fields.index),
    model: isObject(fields.model) ? parseModel(fields.model) : undefined,
  };
}

export function parseFullStatus(value: unknown): FullStatus {
  const fields = object(value, "status");
  return {
    ...parseStatus(value),
    version: text(fields.version),
    reason: text(fields.reason),
    folders: list(fields.folders, "folders").map(parseFolder),
  };
}

function parseHit(value: unknown): Hit {
  const fields = object(value, "hit");
  return {
    uri: needed(fields.uri, "uri"),
    path: needed(fields.path, "path"),
    headings: texts(fields.headings),
    range: parseRange(fields.range),
    selectionRange: parseRange(fields.selectionRange),
    excerpt: text(fields.excerpt),
    weak: fields.match === "weak",
    alsoIn: optional(fields.alsoIn).map(parseHeading),
    alternates: optional(fields.alternates).map(parseAlternate),
  };
}

function parseHeading(value: unknown): Heading {
  const fields = object(value, "heading");
  return { headings: texts(fields.headings), range: parseRange(fields.range) };
}

function parseAlternate(value: unknown): Alternate {
  const fields = object(value, "alternate");
  const known: Alternate = { uri: needed(fields.uri, "uri"), path: needed(fields.path, "path") };
  return typeof fields.language === "string" ? { ...known, language: fields.language } : known;
}

function parseIndex(value: unknown): Index {
  const fields = object(value, "index");
  return {
    state: needed(fields.state, "index.state"),
    documents: count(fields.documents),
    passages: count(fields.passages),
    openings: count(fields.openings),
    embedded: count(fields.embedded),
    message: text(fields.message),
  };
}

function parseModel(fields: Fields): Model {
  return { embedder: text(fields.embedder), id: text(fields.id), dimensions: count(fields.dimensions) };
}

function parseFolder(value: unknown): FolderStatus {
  const fields = object(value, "folder");
  return {
    uri: needed(fields.uri, "uri"),
    index: parseIndex(fields.index),
    files: optional(fields.files).map((one) => {
      const file = object(one, "file");
      return { path: needed(file.path, "path"), passages: count(file.passages), embedded: count(file.embedded) };
    }),
    skipped: optional(fields.skipped).map((one) => {
      const skip = object(one, "skip");
      return { path: needed(skip.path, "path"), reason: text(skip.reason) };
    }),
  };
}

function parseRange(value: unknown): Range {
  const fields = object(value, "range");
  return { start: parsePosition(fields.start), end: parsePosition(fields.end) };
}

function parsePosition(value: unknown): Position {
  const { line, character } = object(value, "position");
  if (!isIndex(line) || !isIndex(character)) {
    throw new WireError("position");
  }
  return { line, character };
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function object(value: unknown, what: string): Fields {
  if (!isObject(value)) {
    throw new WireError(what);
  }
  return value;
}

function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) {
    throw new WireError(what);
  }
  return value as unknown[];
}

function optional(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function texts(value: unknown): string[] {
  return optional(value).filter((one): one is string => typeof one === "string");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function needed(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "") {
    throw new WireError(what);
  }
  return value;
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
