// Tests inside VS Code's extension host, where the API is: what @vscode/test-electron does, without a download.
//
// The workbench's address takes `extensionDevelopmentPath` and `extensionTestsPath` when its server was started with
// --enable-smoke-test-driver; the end of the tests' `run` comes back through `codeAutomationExit`.
import { join } from "node:path";

import { EXTENSION, HERE, launch, log, serverProgram, sleep } from "./workbench.mjs";

const MINUTES = 5;
let ended;
const end = new Promise((done) => {
  ended = done;
});
const say = (message) => {
  const at = message.text().indexOf("TEST ");
  if (at >= 0) log(message.text().slice(at + 5).replace(/\s*(%c|color: ?\w*|background: ?\w*)\s*/g, " ").trimEnd());
};
const vs = await launch({
  machineSettings: { "ddg.server.path": serverProgram() },
  payload: (remote) => [
    ["extensionDevelopmentPath", remote(EXTENSION)],
    ["extensionTestsPath", remote(join(HERE, "suite", "index.js"))],
  ],
  prepare: async (page) => {
    page.on("console", say);
    await page.exposeFunction("codeAutomationLog", () => {});
    await page.exposeFunction("codeAutomationExit", (code) => ended(code));
  },
});
const code = await Promise.race([end, sleep(MINUTES * 60000).then(() => `no end after ${MINUTES} minutes`)]);
if (code !== 0) log(`the extension host ended with ${code}\n${vs.serverLog()}`);
await vs.stop();
console.log(code === 0 ? "all passed" : "failed");
process.exit(code === 0 ? 0 : 1);
