import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { firstThatWorks, isProgram } from "../../src/server/find";
import { choosePython } from "../../src/server/python";
import { run } from "../../src/server/run";
import { compareVersions, parseVersion } from "../../src/server/version";

const folder = mkdtempSync(join(tmpdir(), "ddg ü "));
after(() => {
  rmSync(folder, { recursive: true });
});

function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const asCandidate = (command: string) => ({ command, origin: "path" as const });

test("the first that is new enough is taken, and the others say why not", async () => {
  const places = [
    program("broken", "echo no module; exit 1"),
    program("other", "echo other-tool 9.9"),
    program("old", "echo ddg-lsp 0.0.9"),
    join(folder, "missing"),
    program("good one", "echo ddg-lsp 0.2.0"),
    program("never asked", "echo ddg-lsp 9.0.0"),
  ].map(asCandidate);
  const { found, passed } = await firstThatWorks(places, "0.1.0");
  assert.deepEqual([found?.command, found?.version], [join(folder, "good one"), "0.2.0"]);
  const why = passed.map((one) => one.why);
  assert.match(why[0] ?? "", /broken \(no module\)/);
  assert.match(why[1] ?? "", /not ddg-lsp/);
  assert.match(why[2] ?? "", /version 0\.0\.9, and 0\.1\.0 is needed/);
  assert.match(why[3] ?? "", /cannot be started/);
  assert.equal(passed.length, 4);
});

test("nothing works: nothing is found", async () => {
  assert.equal((await firstThatWorks([], "0.1.0")).found, undefined);
});

test("a program is a file that may be run", () => {
  const file = join(folder, "text");
  writeFileSync(file, "x", { mode: 0o644 });
  mkdirSync(join(folder, "dir"));
  const found = [program("yes", ""), file, join(folder, "dir"), join(folder, "none")].map(isProgram);
  assert.deepEqual(found, [true, process.getuid?.() === 0 ? found[1] : false, false, false]);
});

test("a run ends: with its code, at its time limit with all its children, when it is cancelled", async () => {
  const lines: string[] = [];
  const done = await run(program("speak", "echo a; echo b >&2; exit 3"), [], {
    timeoutMs: 10_000,
    onLine: (line) => lines.push(line),
  });
  assert.deepEqual([done.code, lines.sort().join()], [3, "a,b"]);
  const slow = program("slow", "sleep 60 & sleep 60");
  const before = Date.now();
  assert.equal((await run(slow, [], { timeoutMs: 200 })).trouble, "timeout");
  const stop = new AbortController();
  const running = run(slow, [], { timeoutMs: 60_000, signal: stop.signal });
  stop.abort();
  assert.equal((await running).trouble, "cancelled");
  assert.ok(Date.now() - before < 20_000);
});

test("the Python of set-up is new enough and 64 bits wide", async () => {
  const told: Record<string, string> = {
    two: "python 2 7 64",
    early: "python 3 9 64",
    narrow: "python 3 12 32",
    none: "Python was not found; run without arguments to install from the Store",
    good: "python 3 10 64",
  };
  const pythons = Object.keys(told).map((command) => ({ command, args: [] }));
  const { python, passed } = await choosePython(pythons, ({ command }) =>
    Promise.resolve({ code: 0, output: `${told[command] ?? ""}\n` }),
  );
  assert.equal(python?.command, "good");
  assert.deepEqual(passed, [
    "two: it is Python 2.7, and 3.10 is needed",
    "early: it is Python 3.9, and 3.10 is needed",
    "narrow: it is a 32-bit Python",
    "none: it does not start",
  ]);
});

test("versions are read from what is printed, and from nothing else", () => {
  assert.equal(parseVersion("warning: x\nddg-lsp 1.2.3\n"), "1.2.3");
  assert.equal(parseVersion("ddg-lsp 1.2.3.dev4+local\r\n"), "1.2.3.dev4+local");
  for (const other of ["", "ddg-lsp", "ddg-lsp x", "not ddg-lsp 1.0", "1.0"]) {
    assert.equal(parseVersion(other), undefined);
  }
});

test("versions are ordered as their makers mean it", () => {
  const ordered = ["0.1.0.dev1", "0.1.0", "0.1.1", "0.9", "0.10.0rc1", "0.10.0", "0.10.0.1", "1"];
  for (const [at, one] of ordered.entries()) {
    for (const [other, two] of ordered.entries()) {
      assert.equal(Math.sign(compareVersions(one, two)), Math.sign(at - other), `${one} ${two}`);
    }
  }
  assert.equal(compareVersions("1.0", "1.0.0"), 0);
  assert.equal(compareVersions("1.0.post1", "1.0+local"), 0);
});
