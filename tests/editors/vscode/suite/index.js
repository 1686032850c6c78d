// Runs in the extension host. Each test is a named function; the first that fails does not stop the others.
const assert = require("node:assert/strict");
const { rmSync, writeFileSync } = require("node:fs");
const vscode = require("vscode");

const KOREAN = "데이터베이스를 되돌리려면 어떻게 하나요?"; // How is the database put back?
const extension = () => vscode.extensions.getExtension("ddg-lsp.ddg-lsp");
const folder = () => vscode.workspace.workspaceFolders[0].uri;
const file = (path) => vscode.Uri.joinPath(folder(), path);

async function until(check, what, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; ; await new Promise((done) => setTimeout(done, 100))) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
  }
}

async function ready() {
  const api = await extension().activate();
  await until(async () => (await api.ask("x")).index.state === "ready", "a complete index");
  return api;
}

async function actions(uri, range) {
  const found = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, range);
  return found.filter(({ kind }) => kind?.value === "ddg.openDocs");
}

const tests = {
  async "it activates by itself, and others can ask through it"() {
    await until(() => extension()?.isActive, "activation");
    const answer = await (await ready()).ask(KOREAN, { limit: 3 });
    assert.equal(answer.hits[0].path, "docs/operations/backup.md");
    assert.deepEqual(answer.hits[0].headings, ["Backup and restore", "Restoring the database"]);
    assert.ok(answer.hits.length <= 3);
  },
  async "every command of the manifest is there"() {
    const there = new Set(await vscode.commands.getCommands(true));
    const missing = extension().packageJSON.contributes.commands.filter(({ command }) => !there.has(command));
    assert.deepEqual(missing, []);
  },
  async "the shortcut is free in VS Code as it comes"() {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse("vscode://defaultsettings/keybindings.json"));
    const text = document.getText();
    assert.ok(text.includes('"ctrl+k ctrl+s"'), "no list of default shortcuts");
    const ours = extension().packageJSON.contributes.keybindings.find(({ command }) => command === "ddg.ask").key;
    const uses = [...text.matchAll(/\{ "key": "([^"]+)",[^}]*"command": "([^"]+)"/g)].filter(([, key]) => key === ours);
    assert.deepEqual(uses.map(([, , command]) => command).filter((command) => !command.startsWith("ddg.")), []);
  },
  async "the code action is offered in files of any language, saved or not"() {
    const question = "who is called at night";
    for (const language of ["python", "json", "plaintext", "markdown", "rust"]) {
      const document = await vscode.workspace.openTextDocument({ language, content: `x\n${question}\n` });
      const found = await until(async () => {
        const offered = await actions(document.uri, new vscode.Range(1, 0, 1, question.length));
        return offered.length && offered;
      }, `an action in ${language}`);
      assert.match(found[0].title, /^Open docs: Alerts > Who is called at night/);
    }
  },
  async "the code action opens the heading's line, also in a file with CRLF and emoji"() {
    const uri = file("app.py");
    await vscode.window.showTextDocument(uri);
    const text = "how queues are named after the team that reads them";
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), `# ${text}\n`);
    await vscode.workspace.applyEdit(edit);
    const [action] = await until(async () => {
      const offered = await actions(uri, new vscode.Range(0, 2, 0, 2 + text.length));
      return offered.length && offered;
    }, "an action");
    await vscode.commands.executeCommand(action.command.command, ...action.command.arguments);
    const editor = await until(() => {
      const active = vscode.window.activeTextEditor;
      return active?.document.fileName.endsWith("overview 🚀.md") && active;
    }, "the document");
    assert.equal(editor.selection.start.line, 4);
    assert.equal(editor.document.getText(editor.selection), "## 🎉 Naming of queues");
  },
  async "what is typed counts before it is saved, and no longer when it is undone"() {
    const api = await ready();
    const uri = file("docs/guides/accounts.md");
    const text = "## Parrots\n\nThe parrot in the lobby is fed with sunflower seeds.\n\n";
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(2, 0), text);
    await vscode.workspace.applyEdit(edit);
    const first = async () => (await api.ask("what does the bird eat?")).hits[0];
    const hit = await until(async () => ((await first()).headings.at(-1) === "Parrots" ? first() : undefined), "the edit");
    assert.equal(hit.selectionRange.start.line, 2);
    await vscode.window.showTextDocument(uri);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await until(async () => (await first()).headings.at(-1) !== "Parrots", "the text of before");
  },
  async "the workspace's ddg.toml counts, though the editor sends all its defaults"() {
    const api = await ready();
    const toml = file("ddg.toml").fsPath;
    const files = async () => new Set((await api.ask("database backup")).hits.map(({ path }) => path.split("/")[1]));
    assert.ok((await files()).has("operations"));
    writeFileSync(toml, 'root = "docs/guides"\n');
    try {
      await until(async () => !(await files()).has("operations"), "a smaller root");
    } finally {
      rmSync(toml);
    }
    await until(async () => (await files()).has("operations"), "the whole folder");
  },
  async "a setting of the editor counts at once"() {
    const api = await ready();
    const settings = vscode.workspace.getConfiguration("ddg");
    await settings.update("limit", 2, vscode.ConfigurationTarget.Workspace);
    try {
      await until(async () => (await api.ask("the company")).hits.length === 2, "two hits");
    } finally {
      await settings.update("limit", undefined, vscode.ConfigurationTarget.Workspace);
    }
    await until(async () => (await api.ask("the company")).hits.length > 2, "more hits");
  },
  async "a question is cancelled when nobody wants its answer"() {
    const api = await ready();
    const source = new vscode.CancellationTokenSource();
    const asked = api.ask("never mind", {}, source.token);
    source.cancel();
    await assert.rejects(asked);
    assert.ok((await api.ask("who pays the bill?")).hits.length > 0);
  },
  async "a question that cannot be asked is an error, and the next is answered"() {
    const api = await ready();
    await assert.rejects(api.ask(" "), /empty|question/i);
    await assert.rejects(api.ask("x", { limit: 0 }), /limit/);
    assert.ok((await api.ask("x")).hits);
  },
  async "restarting and rebuilding leave a server that answers"() {
    const api = await ready();
    await vscode.commands.executeCommand("ddg.restartServer");
    await ready();
    assert.equal((await api.ask(KOREAN)).hits[0].path, "docs/operations/backup.md");
    await vscode.commands.executeCommand("ddg.rebuildIndex");
    await ready();
    assert.equal((await api.ask(KOREAN)).hits[0].path, "docs/operations/backup.md");
  },
};

exports.run = async function run() {
  const failed = [];
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`TEST ok   ${name}`);
    } catch (error) {
      failed.push(name);
      console.log(`TEST FAIL ${name}: ${error.stack}`);
    }
  }
  if (failed.length) throw new Error(`${failed.length} failed`);
};
