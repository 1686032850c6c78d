import assert from "node:assert/strict";
import { test } from "node:test";

import { markdownLink, relative, slug } from "../../src/links";

test("a link is relative to where it will be read, and its title and address survive Markdown", () => {
  const title = "Guide [v2] › A\\B";
  const link = markdownLink(title, "/w/docs/a b (1)/ü#.md", "Retry: what's next?", "/w/docs/notes");
  assert.equal(link, "[Guide \\[v2\\] › A\\\\B](../a%20b%20%281%29/%C3%BC%23.md#retry-whats-next)");
});

test("a page as a whole needs no anchor", () => {
  assert.equal(markdownLink("Guide", "/w/guide.md", undefined, "/w"), "[Guide](guide.md)");
  assert.equal(markdownLink("?", "/w/guide.md", "?!", "/w"), "[?](guide.md)");
});

for (const [heading, anchor] of [
  ["Retry policy", "retry-policy"],
  ["  `code` & more -- yes_no ", "code--more----yes_no"],
  ["캐시가 깨지면?", "캐시가-깨지면"],
  ["Überblick 🚀", "überblick-"],
] as const) {
  test(`the anchor of "${heading}"`, () => {
    assert.equal(slug(heading), anchor);
  });
}

for (const [from, target, wanted] of [
  ["/w", "/w/a.md", "a.md"],
  ["/w/x/y", "/w/a.md", "../../a.md"],
  ["/w/x", "/w/x/y/a.md", "y/a.md"],
  ["/w/a.md", "/w/a.md", "../a.md"],
  ["/c:/w", "/c:/w/a.md", "a.md"],
] as const) {
  test(`${target} from ${from}`, () => {
    assert.equal(relative(from, target), wanted);
  });
}
