import assert from "node:assert/strict";
import { test } from "node:test";

import { answerMessage, answerTree, neighbour } from "../../src/results/model";
import { MAX_ROWS, REASONS, runningLine, serverSentence, statusRows, statusText } from "../../src/status/text";
import type { FolderStatus, FullStatus } from "../../src/wire";
import { hit, index } from "./samples";

const RANGE = { start: { line: 9, character: 0 }, end: { line: 9, character: 3 } };
const answer = {
  query: "q",
  revision: 1,
  elapsedMs: 1,
  index: index(),
  hits: [
    hit({
      alsoIn: [{ headings: ["Guide", "Signing"], range: RANGE }],
      alternates: [{ uri: "file:///w/ko.md", path: "a/ko.md", language: "ko" }],
    }),
    hit({ uri: "file:///w/b.md", path: "b.md", weak: true, headings: [] }),
  ],
};
const tree = answerTree(answer, (one) => one.path);

test("the tree has the hits in their order, further headings and translations below", () => {
  assert.deepEqual(
    tree.map(({ label, description }) => `${label} | ${description}`),
    ["Guide › Retry policy | guide.md", "b.md | b.md · weak"],
  );
  const below = tree[0]?.children.map(({ label, description, uri, range }) => [
    label,
    description,
    uri,
    range.start.line,
  ]);
  assert.deepEqual(below, [
    ["Guide › Signing", "", "file:///w/docs/guide.md", 9],
    ["ko.md", "ko · a/ko.md", "file:///w/ko.md", 0],
  ]);
  assert.match(tree[0]?.tooltip ?? "", /docs\/guide\.md:5\n\nSent again/);
  assert.equal(answerMessage(answer), "2 headings for “q”");
});

test("walking visits every place once, in both directions, and stops at the ends", () => {
  const walk = (step: 1 | -1) => {
    const seen: string[] = [];
    for (let node = neighbour(tree, undefined, step); node; node = neighbour(tree, node, step)) seen.push(node.label);
    return seen;
  };
  assert.deepEqual(walk(1), ["Guide › Retry policy", "Guide › Signing", "ko.md", "b.md"]);
  assert.deepEqual(walk(-1), walk(1).reverse());
  assert.equal(neighbour([], undefined, 1), undefined);
});

const folder = (change: Partial<FolderStatus> = {}): FolderStatus => ({
  uri: "file:///w",
  index: index(),
  files: [
    { path: "a.md", passages: 3, embedded: 3 },
    { path: "b.md", passages: 3, embedded: 1 },
  ],
  skipped: [
    { path: "x/", reason: "skip-folder" },
    { path: "secrets.md", reason: "secret-name" },
    { path: "new.md", reason: "a-reason-of-tomorrow" },
  ],
  ...change,
});
const full = (...folders: FolderStatus[]): FullStatus => ({
  health: "ok",
  quiescent: true,
  message: "",
  index: index(),
  model: { embedder: "e5", id: "some/model", dimensions: 384 },
  version: "0.1.0",
  reason: "The built-in model.",
  folders,
});
const told = (status: FullStatus, path?: string) => ({
  status,
  server: "on PATH",
  active: path === undefined ? undefined : { folder: "file:///w", path },
  folderName: (uri: string) => uri.slice(-1),
});

test("the status names every file: searched, partly, or left out and why", () => {
  const rows = statusRows(told(full(folder())));
  const of = (label: string) => rows.find((row) => row.label === label);
  assert.equal(of("a.md")?.description, "3 passages");
  assert.deepEqual([of("b.md")?.kind, of("b.md")?.description], ["partly", "1 of 3 passages so far"]);
  assert.equal(of("secrets.md")?.description, REASONS["secret-name"]);
  assert.equal(of("new.md")?.description, "a-reason-of-tomorrow");
  assert.deepEqual(of("a.md")?.file, { folder: "file:///w", path: "a.md" });
  assert.equal(rows[1]?.label, "some/model");
});

for (const [path, wanted] of [
  ["a.md", "3 passages"],
  ["secrets.md", "Not searched: its name looks like a place for secrets"],
  ["x/y/z.md", "Not searched: x/ is left out, other people's files, or build output"],
  ["app.py", "Not searched: no document"],
] as const) {
  test(`the file one looks at comes first: ${path}`, () => {
    const rows = statusRows(told(full(folder()), path));
    const at = rows.findIndex((row) => row.label === "This file");
    assert.deepEqual([rows[at + 1]?.label, rows[at + 1]?.description], [path, wanted]);
  });
}

test("without a model, nothing is partly searched", () => {
  const words = folder({ index: index({ state: "lexicalOnly" }), files: [{ path: "a.md", passages: 3, embedded: 0 }] });
  assert.equal(
    statusRows(told({ ...full(words), model: undefined })).find((row) => row.label === "a.md")?.kind,
    "indexed",
  );
});

test("long lists are cut on the screen and whole as text; several folders are named", () => {
  const files = Array.from({ length: MAX_ROWS + 5 }, (_, at) => ({ path: `p${at}.md`, passages: 1, embedded: 1 }));
  const status = full(folder({ files }), folder({ uri: "file:///v" }));
  const rows = statusRows(told(status));
  assert.ok(rows.some((row) => row.label === "and 5 more"));
  assert.ok(rows.some((row) => row.label === `Searched (${MAX_ROWS + 5}) — w`));
  const text = statusText(told(status));
  assert.match(text, new RegExp(`p${MAX_ROWS + 4}\\.md: 1 passages`));
  assert.doesNotMatch(text, /and 5 more/);
});

test("the status line: what is done, how ill, how far", () => {
  const status = { ...full(), index: index({ state: "building", embedded: 120 }), quiescent: false };
  assert.deepEqual(runningLine(status), {
    text: "Docs: indexing 120 of 450",
    detail: "2 documents, 450 passages",
    busy: true,
    severity: "info",
  });
  assert.equal(runningLine({ ...full(), health: "error", message: "Disk full." }).severity, "error");
  assert.equal(runningLine({ ...full(), health: "warning", message: "No model." }).detail, "No model.");
  assert.equal(runningLine(full()).text, "Docs: ready");
  assert.equal(runningLine(undefined).busy, true);
});

test("an older server is named with what the extension brings", () => {
  assert.equal(serverSentence("/x", "path", "0.1.0", "0.2.0"), "found on PATH: /x; the extension brings 0.2.0");
  assert.equal(serverSentence("/x", "private", "0.2.0", "0.2.0"), "installed by the extension: /x");
});
