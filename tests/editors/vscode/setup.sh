#!/usr/bin/env bash
# Fetches a real VS Code (the server and workbench inside the npm package code-server) and a driver for the browser.
# No install script runs and nothing is compiled: the native modules that are missed then are not needed here.
set -euo pipefail
cd "$(dirname "$0")"
code=node_modules/code-server/lib/vscode
stamp=node_modules/.ready
if [ -f $stamp ] && [ $stamp -nt package-lock.json ]; then exit 0; fi
npm ci --ignore-scripts
# Its shrinkwrap is out of step with its package.json, so `npm ci` refuses it; `npm install` takes the locked versions.
(cd $code && npm install --omit=dev --ignore-scripts)
(cd $code/extensions && npm install --omit=dev --ignore-scripts)
touch $stamp
