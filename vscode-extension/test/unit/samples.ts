/** What the server sends, for tests. */

import type { Hit, Index } from "../../src/wire";

const RANGE = { start: { line: 4, character: 0 }, end: { line: 4, character: 15 } };

export const WIRE_INDEX = {
  state: "ready",
  documents: 2,
  passages: 9,
  openings: 9,
  embedded: 9,
  indexedAt: null,
  skipped: [{ path: "a.md", reason: "hidden" }],
  later: true,
};

export const WIRE_HIT = {
  id: "docs/guide.md#1",
  uri: "file:///w/docs/guide.md",
  path: "docs/guide.md",
  headings: ["Guide", "Retry policy"],
  level: 2,
  range: RANGE,
  selectionRange: RANGE,
  excerpt: "Sent again\n three times.",
  score: 0.5,
  match: "strong",
  alsoIn: [{ headings: ["Guide", "Signing"], range: RANGE, score: 0.4 }],
  alternates: [
    { uri: "file:///w/ko/guide.md", path: "ko/guide.md", language: "ko" },
    { uri: "file:///w/x.md", path: "x.md" },
  ],
};

export const index = (change: Partial<Index> = {}): Index => ({
  state: "ready",
  documents: 2,
  passages: 450,
  openings: 450,
  embedded: 450,
  message: "",
  ...change,
});

export const hit = (change: Partial<Hit> = {}): Hit => ({
  uri: "file:///w/docs/guide.md",
  path: "docs/guide.md",
  headings: ["Guide", "Retry policy"],
  range: RANGE,
  selectionRange: RANGE,
  excerpt: "Sent again three times.",
  weak: false,
  alsoIn: [],
  alternates: [],
  ...change,
});
