/**
 * Markdown links to headings. Pure: paths are those of addresses, with `/`.
 */

/** `[Guide › Retry](docs/guide.md#retry)`. `from` is the folder the link will be read from. */
export function markdownLink(title: string, target: string, heading: string | undefined, from: string): string {
  const anchor = heading === undefined ? "" : slug(heading);
  const address = encodePath(relative(from, target)) + (anchor ? `#${encodeURIComponent(anchor)}` : "");
  return `[${title.replace(/\s+/g, " ").replace(/[\\[\]]/g, "\\$&")}](${address})`;
}

/** The anchor GitHub and VS Code make of a heading: lower case, punctuation dropped, blanks become hyphens. */
export function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replace(/ /g, "-");
}

/** `target` as seen from the folder `from`. */
export function relative(from: string, target: string): string {
  const start = from.split("/").filter(Boolean);
  const end = target.split("/").filter(Boolean);
  let common = 0;
  while (common < start.length && common < end.length - 1 && start[common] === end[common]) {
    common++;
  }
  return [...start.slice(common).map(() => ".."), ...end.slice(common)].join("/");
}

function encodePath(path: string): string {
  return path
    .split("/")
    .map((name) => encodeURIComponent(name).replace(/[()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`))
    .join("/");
}
