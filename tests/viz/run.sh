#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh WHAT BIN_DIR: runs tests with node: unit or browser, each in one process, or one file. Ends with 77, "skipped" to
# ctest, if something is missing. run.sh measure.mjs BIN_DIR prints times instead: give the machine to it alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
skip() {
  echo "skipped: $1"
  exit 77
}
command -v node >/dev/null || skip "node is not installed"
major=$(node --version)
major=${major#v}
major=${major%%.*}
[ "$major" -ge 20 ] || skip "node $major is older than 20"
case $1 in
  browser* | measure.mjs)
    INFER_CHROMIUM=${INFER_CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
    [ -n "$INFER_CHROMIUM" ] || skip "no Chromium; install the package chromium or set INFER_CHROMIUM"
    [ -d "$here/node_modules/playwright-core" ] || skip "playwright-core is missing; run npm ci in tests/viz"
    export INFER_CHROMIUM
    ;;
  bundle*)
    [ -d "$here/../../tools/viz/page/node_modules/esbuild" ] || skip "esbuild is missing; run npm ci in tools/viz/page"
    ;;
esac
export INFER_BIN_DIR=$2
cd "$here"
case $1 in
  measure.mjs) exec node measure.mjs ;;
  unit) set -- unit/*.test.mjs ;;
  browser) set -- browser/all.mjs ;;
  *) set -- "$1" ;;
esac
exec node --test-reporter=spec run_files.mjs "$@"
