/**
 * What the user reads about hits and about the index. Pure: no VS Code, no state.
 */

import type { Hit, Index } from "./wire";

const ICON = /\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)/g;
const SEPARATOR = " › ";

/** On one line, and shown as it is written: VS Code would make an icon of `$(name)` in a label. */
export function plain(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(ICON, (icon) => `\\${icon}`);
}

/** `Guide › Retry policy`; the file's name where there is no heading. */
export function headingPath(headings: readonly string[], path: string): string {
  const named = headings.map((heading) => heading.replace(/\s+/g, " ").trim()).filter(Boolean);
  return named.length ? named.join(SEPARATOR) : baseName(path);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** One line of a list of hits. */
export interface Line {
  label: string;
  description: string;
  detail: string;
}

/** `where` is the file as the user knows it: with the folder's name where there are several. */
export function hitLine(hit: Hit, where: string): Line {
  const label = plain(headingPath(hit.headings, hit.path));
  return {
    label: hit.weak ? `$(circle-outline) ${label}` : `$(book) ${label}`,
    description: hit.weak ? `${plain(where)} · weak` : plain(where),
    detail: plain(hit.excerpt),
  };
}

/** What the user should know about the index before believing an answer; empty when there is nothing to know. */
export function indexNote(index: Index): string {
  switch (index.state) {
    case "ready":
      return index.documents === 0 ? "no documents here" : "";
    case "building":
      return progress(index);
    case "stale":
      return "looking for changes";
    case "lexicalOnly":
      return "words only, no model";
    case "failed":
      return "indexing failed";
    default:
      return index.state;
  }
}

function progress(index: Index): string {
  if (index.passages === 0) {
    return "reading the documents";
  }
  // Openings are embedded first, for all documents: from then on everything can be found, if not yet by all its text.
  return index.openings < index.passages
    ? `indexing ${index.openings} of ${index.passages}, first pass`
    : `indexing ${index.embedded} of ${index.passages}`;
}

/** The title of the list of hits. */
export function answerTitle(hits: readonly Hit[] | undefined, index: Index | undefined): string {
  const parts = ["Ask the Docs"];
  if (hits?.length && hits.every((hit) => hit.weak)) {
    parts.push(index?.state === "building" ? "nothing fits well yet" : "nothing fits well");
  }
  const note = index ? indexNote(index) : "";
  return note ? [...parts, note].join(" — ") : parts.join(" — ");
}

/** What is said in place of hits. */
export function emptyLine(index: Index): Line {
  const why: Record<string, string> = {
    building: "The index is still being built; more can be found in a moment.",
    failed: index.message,
    lexicalOnly: "No model is at work, so only the words of the question were looked for.",
  };
  const detail =
    why[index.state] ?? (index.documents === 0 ? "There are no documents in this workspace." : "Try other words.");
  return { label: "$(info) Nothing found", description: "", detail: plain(detail) };
}
