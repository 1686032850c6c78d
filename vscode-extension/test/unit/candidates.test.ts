import assert from "node:assert/strict";
import { test } from "node:test";

import { pythonCandidates, serverCandidates, type Surroundings } from "../../src/server/candidates";

const around = (change: Partial<Surroundings> = {}): Surroundings => ({
  platform: "linux",
  env: { PATH: "/usr/local/bin:/usr/bin" },
  home: "/home/jö",
  trusted: true,
  folders: ["/w/mein projekt"],
  serverPath: "",
  interpreter: "",
  privateServer: "/storage/bin/ddg-lsp",
  ...change,
});
const everything = () => true;
const commands = (change: Partial<Surroundings>, isFile: (path: string) => boolean = everything) =>
  serverCandidates(around(change), isFile).map(({ origin, command }) => `${origin} ${command}`);

test("the order: chosen environment, PATH, private", () => {
  const env = { PATH: "/usr/bin", VIRTUAL_ENV: "/venvs/a b" };
  assert.deepEqual(commands({ env, interpreter: "/py/ü/bin/python" }), [
    "environment /py/ü/bin/ddg-lsp",
    "environment /venvs/a b/bin/ddg-lsp",
    "environment /w/mein projekt/.venv/bin/ddg-lsp",
    "path /usr/bin/ddg-lsp",
    "private /storage/bin/ddg-lsp",
  ]);
});

test("the program the user named is the only one, there or not", () => {
  assert.deepEqual(
    commands({ serverPath: " ~/bin/ddg-lsp " }, () => false),
    ["setting /home/jö/bin/ddg-lsp"],
  );
});

test("nothing of an untrusted workspace, and no environment chosen in it", () => {
  const env = { PATH: "/usr/bin", VIRTUAL_ENV: "/venvs/a" };
  const found = commands({ env, trusted: false, interpreter: "/w/evil/bin/python" });
  assert.deepEqual(found, ["path /usr/bin/ddg-lsp", "private /storage/bin/ddg-lsp"]);
});

test("the current folder is never searched, however PATH names it", () => {
  const found = commands({ env: { PATH: ":.:bin:./x::/usr/bin" }, folders: [], privateServer: undefined });
  assert.deepEqual(found, ["path /usr/bin/ddg-lsp"]);
});

test("only what is there, each once", () => {
  const env = { PATH: "/w/mein projekt/.venv/bin:/usr/bin:/usr/bin" };
  const there = new Set(["/w/mein projekt/.venv/bin/ddg-lsp", "/usr/bin/ddg-lsp"]);
  assert.deepEqual(
    commands({ env }, (path) => there.has(path)),
    ["environment /w/mein projekt/.venv/bin/ddg-lsp", "path /usr/bin/ddg-lsp"],
  );
});

for (const [interpreter, wanted] of [
  ["${workspaceFolder}/env/bin/python", "/w/mein projekt/env/bin/ddg-lsp"],
  ["env/bin/python", "/w/mein projekt/env/bin/ddg-lsp"],
  ["~/env/bin/python3", "/home/jö/env/bin/ddg-lsp"],
  ["${env:CONDA}/bin/python", "/opt/conda/bin/ddg-lsp"],
  ["python", undefined],
  ["${env:NOTHING}python", undefined],
] as const) {
  test(`the interpreter ${interpreter}`, () => {
    const found = commands({ interpreter, env: { CONDA: "/opt/conda" }, privateServer: undefined });
    const venv = "environment /w/mein projekt/.venv/bin/ddg-lsp";
    assert.deepEqual(found, wanted ? [`environment ${wanted}`, venv] : [venv]);
  });
}

test("on Windows: Scripts, .exe, and the launcher for set-up", () => {
  const windows = {
    platform: "win32" as const,
    env: { Path: "C:\\Win;.;C:\\Py" },
    folders: ["C:\\a b"],
    privateServer: undefined,
  };
  assert.deepEqual(commands(windows), [
    "environment C:\\a b\\.venv\\Scripts\\ddg-lsp.exe",
    "path C:\\Win\\ddg-lsp.exe",
    "path C:\\Py\\ddg-lsp.exe",
  ]);
  const pythons = pythonCandidates(around(windows), "", (path) => /Win\\py\.exe$|Py\\python\.exe$/.test(path));
  assert.deepEqual(pythons, [
    { command: "C:\\Py\\python.exe", args: [] },
    { command: "C:\\Win\\py.exe", args: ["-3"] },
  ]);
});

test("Pythons for set-up: the one named alone, else the environments' and PATH's", () => {
  assert.deepEqual(
    pythonCandidates(around(), "~/py", () => false),
    [{ command: "/home/jö/py", args: [] }],
  );
  const there = (path: string) => /\.venv\/bin\/python$|^\/usr\/bin\/python3$/.test(path);
  assert.deepEqual(
    pythonCandidates(around(), "", there).map(({ command }) => command),
    ["/w/mein projekt/.venv/bin/python", "/usr/bin/python3"],
  );
  assert.deepEqual(
    pythonCandidates(around({ trusted: false }), "", there).map(({ command }) => command),
    ["/usr/bin/python3"],
  );
});
