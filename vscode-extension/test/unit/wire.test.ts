import assert from "node:assert/strict";
import { test } from "node:test";

import { parseAnswer, parseFullStatus, parseStatus, WireError } from "../../src/wire";
import { WIRE_HIT, WIRE_INDEX } from "./samples";

const ANSWER = {
  query: "q",
  mode: "hybrid",
  limit: 30,
  revision: 3,
  elapsedMs: 1.5,
  index: WIRE_INDEX,
  hits: [WIRE_HIT],
};
const STATUS = { health: "ok", quiescent: true, message: "", index: { ...WIRE_INDEX, skipped: 3 }, model: null };

test("an answer is read, and what it has more is passed over", () => {
  const answer = parseAnswer({ ...ANSWER, later: { x: 1 } });
  assert.equal(answer.hits[0]?.headings.join(), "Guide,Retry policy");
  assert.equal(answer.hits[0].weak, false);
  assert.deepEqual(
    answer.hits[0].alternates.map(({ language }) => language),
    ["ko", undefined],
  );
  assert.equal(answer.index.passages, 9);
  assert.equal(
    parseAnswer({ ...ANSWER, hits: [{ ...WIRE_HIT, match: "weak", alsoIn: undefined }] }).hits[0]?.weak,
    true,
  );
});

const broken: [string, unknown][] = [
  ["nothing", undefined],
  ["text", "x"],
  ["a list", [ANSWER]],
  ["no hits", { ...ANSWER, hits: undefined }],
  ["no index", { ...ANSWER, index: null }],
  ["a hit without an address", { ...ANSWER, hits: [{ ...WIRE_HIT, uri: undefined }] }],
  ["a hit that is text", { ...ANSWER, hits: ["x"] }],
  [
    "a line that is no number",
    { ...ANSWER, hits: [{ ...WIRE_HIT, selectionRange: { start: { line: "1", character: 0 } } }] },
  ],
  ["a line below zero", { ...ANSWER, hits: [{ ...WIRE_HIT, range: { start: { line: -1, character: 0 }, end: {} } }] }],
  ["half a line", { ...ANSWER, hits: [{ ...WIRE_HIT, range: { start: { line: 0.5, character: 0 }, end: {} } }] }],
];
for (const [what, value] of broken) {
  test(`an answer with ${what} is an error that says so`, () => {
    assert.throws(() => parseAnswer(value), WireError);
  });
}

test("a status has a model or none", () => {
  assert.equal(parseStatus(STATUS).model, undefined);
  const model = { embedder: "e5", id: "m", dimensions: 384 };
  assert.deepEqual(parseStatus({ ...STATUS, model }).model, model);
  assert.throws(() => parseStatus(null), WireError);
});

test("a full status lists files and skips of each folder, and an older server's has none", () => {
  const files = [{ path: "a.md", passages: 2, embedded: 1 }];
  const folder = { uri: "file:///w", index: WIRE_INDEX, files, skipped: [{ path: "b.md", reason: "hidden" }] };
  const full = {
    ...STATUS,
    version: "0.1.0",
    reason: "r",
    tried: [],
    folders: [folder, { uri: "file:///v", index: WIRE_INDEX }],
  };
  const [first, second] = parseFullStatus(full).folders;
  assert.deepEqual(first?.files, files);
  assert.deepEqual(first.skipped, folder.skipped);
  assert.deepEqual([second?.files, second?.skipped], [[], []]);
  assert.throws(() => parseFullStatus(STATUS), WireError);
});
