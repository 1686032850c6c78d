#!/usr/bin/env bash
# Everything that is tested in a real VS Code, one after another. Needs Chromium and the extension's .vsix.
set -euo pipefail
cd "$(dirname "$0")"
chromium=${CHROMIUM:-/usr/bin/chromium}
test -x "$chromium" || { echo "Chromium is not at $chromium (Debian: apt-get install chromium)" >&2; exit 1; }
./setup.sh
for tests in exthost ui setup; do
  echo "== $tests"
  node $tests.mjs
done
