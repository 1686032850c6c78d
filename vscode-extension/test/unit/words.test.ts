import assert from "node:assert/strict";
import { test } from "node:test";

import { answerTitle, emptyLine, headingPath, hitLine, indexNote, plain } from "../../src/words";
import { hit, index } from "./samples";

test("a line has the heading path, the file and one line of the excerpt", () => {
  assert.deepEqual(hitLine(hit({ excerpt: "Sent\n  again." }), "w/docs/guide.md"), {
    label: "$(book) Guide › Retry policy",
    description: "w/docs/guide.md",
    detail: "Sent again.",
  });
});

test("a weak hit is marked twice: for those who see the sign and for those who read", () => {
  const line = hitLine(hit({ weak: true }), "docs/guide.md");
  assert.match(line.label, /^\$\(circle-outline\) /);
  assert.equal(line.description, "docs/guide.md · weak");
});

test("text of a document is shown as it is written, and never as an icon or over several lines", () => {
  assert.equal(plain("run $(sync~spin) now\r\n\tthen $(x)"), "run \\$(sync~spin) now then \\$(x)");
  assert.equal(plain("$(echo a b) $HOME"), "$(echo a b) $HOME");
  const line = hitLine(hit({ headings: ["$(trash)"], excerpt: "$(zap)", path: "$(bug).md" }), "$(bug).md");
  assert.deepEqual(Object.values(line), ["$(book) \\$(trash)", "\\$(bug).md", "\\$(zap)"]);
});

test("a section without a heading has its file's name", () => {
  assert.equal(headingPath([], "docs/a b.md"), "a b.md");
  assert.equal(headingPath(["", " A\n B "], "x.md"), "A B");
});

const notes: [object, string][] = [
  [{}, ""],
  [{ documents: 0, passages: 0 }, "no documents here"],
  [{ state: "building", openings: 450, embedded: 120 }, "indexing 120 of 450"],
  [{ state: "building", openings: 120, embedded: 0 }, "indexing 120 of 450, first pass"],
  [{ state: "building", passages: 0, openings: 0 }, "reading the documents"],
  [{ state: "stale" }, "looking for changes"],
  [{ state: "lexicalOnly" }, "words only, no model"],
  [{ state: "failed" }, "indexing failed"],
  [{ state: "something-new" }, "something-new"],
];
for (const [change, note] of notes) {
  test(`the index says "${note}" of ${JSON.stringify(change)}`, () => {
    assert.equal(indexNote(index(change)), note);
    assert.equal(answerTitle(undefined, index(change)), note ? `Ask the Docs — ${note}` : "Ask the Docs");
  });
}

test("the title says when nothing fits well, and when that may change", () => {
  const weak = [hit({ weak: true })];
  assert.equal(answerTitle(weak, index()), "Ask the Docs — nothing fits well");
  assert.match(answerTitle(weak, index({ state: "building" })), /nothing fits well yet — indexing/);
  assert.equal(answerTitle([...weak, hit()], index()), "Ask the Docs");
  assert.equal(answerTitle([], index()), "Ask the Docs");
});

test("an empty answer says why", () => {
  assert.match(emptyLine(index({ state: "building" })).detail, /being built/);
  assert.match(emptyLine(index({ state: "lexicalOnly" })).detail, /words of the question/);
  assert.equal(emptyLine(index({ state: "failed", message: "Disk $(zap)." })).detail, "Disk \\$(zap).");
  assert.match(emptyLine(index({ documents: 0 })).detail, /no documents/);
  assert.equal(emptyLine(index()).detail, "Try other words.");
});
