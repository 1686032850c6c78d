/**
 * The last answer as a tree: hits, and below each what else of its file is worth reading. Pure.
 */

import type { Answer, Hit, Range } from "../wire";
import { baseName, headingPath, plain } from "../words";

export interface Node {
  label: string;
  description: string;
  /** Shown when the pointer rests on it; plain text. */
  tooltip: string;
  icon: string;
  uri: string;
  range: Range;
  children: Node[];
  /** The hit this is, or belongs to. */
  hit: Hit;
}

/** `where` names a hit's file. */
export function answerTree(answer: Answer, where: (hit: Hit) => string): Node[] {
  return answer.hits.map((hit) => {
    const { uri } = hit;
    const file = where(hit);
    const also = hit.alsoIn.map(({ headings, range }) => {
      const label = headingPath(headings, hit.path);
      return { label, description: "", tooltip: label, icon: "list-tree", uri, range, children: [], hit };
    });
    const start = { line: 0, character: 0 };
    const alternates = hit.alternates.map((alternate) => ({
      label: baseName(alternate.path),
      description: [alternate.language, alternate.path].filter(Boolean).join(" · "),
      tooltip: alternate.path,
      icon: "globe",
      uri: alternate.uri,
      range: { start, end: start },
      children: [],
      hit,
    }));
    const label = headingPath(hit.headings, hit.path);
    return {
      label,
      description: hit.weak ? `${baseName(file)} · weak` : baseName(file), // the view is narrow
      tooltip: `${label}\n${file}:${hit.selectionRange.start.line + 1}\n\n${hit.excerpt}`,
      icon: hit.weak ? "circle-outline" : "book",
      uri,
      range: hit.selectionRange,
      children: [...also, ...alternates],
      hit,
    };
  });
}

/** The line above the tree. */
export function answerMessage(answer: Answer): string {
  const count = answer.hits.length === 1 ? "1 heading" : `${answer.hits.length} headings`;
  return `${count} for “${plain(answer.query)}”`;
}

/** Walking through a tree from place to place, hits and what is below them. */
export function neighbour(tree: readonly Node[], from: Node | undefined, step: 1 | -1): Node | undefined {
  const all = tree.flatMap((node) => [node, ...node.children]);
  if (!from) {
    return step === 1 ? all[0] : all.at(-1);
  }
  return all[all.indexOf(from) + step];
}
