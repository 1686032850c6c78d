/**
 * Versions of the server: read from what `ddg-lsp --version` prints, and compared. Pure.
 */

/** `0.12.3`, from `ddg-lsp 0.12.3.dev4+local`; undefined for anything that is no version of ours. */
export function parseVersion(printed: string): string | undefined {
  return /^ddg-lsp (\d+(?:\.\d+)*[^\s]*)\s*$/m.exec(printed)?.[1];
}

/** Negative, zero or positive, as for sorting. A development or pre-release version comes before its release. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [split(one), split(other)];
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at++) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return Number(b.early) - Number(a.early);
}

function split(version: string): { numbers: number[]; early: boolean } {
  const [, release = "", rest = ""] = /^(\d+(?:\.\d+)*)(.*)$/.exec(version.trim()) ?? [];
  // `.post1` and `+local` come after the release, `.dev1`, `a1`, `b1` and `rc1` before it.
  return { numbers: release.split(".").map(Number), early: /^[.\-_]?(?:dev|a|b|c|rc|alpha|beta|pre)/i.test(rest) };
}
