#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh WHAT: runs tests of the server's page with node: unit, bundle.test.mjs, browser, or one file of those folders.
# Ends with 77, "skipped" to ctest, if something is missing. With INFER_SERVE_URL, `run.sh server` tests the page of that
# server instead of the mock; `run.sh screenshots DIR` takes pictures. Chromium and playwright-core are found as in tests/viz.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
viz=$here/../../../viz
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
  browser* | server | screenshots)
    INFER_CHROMIUM=${INFER_CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
    [ -n "$INFER_CHROMIUM" ] || skip "no Chromium; install the package chromium or set INFER_CHROMIUM"
    [ -d "$viz/node_modules/playwright-core" ] || skip "playwright-core is missing; run npm ci in tests/viz"
    export INFER_CHROMIUM
    ;;
  bundle*)
    [ -d "$here/../../../../tools/viz/page/node_modules/esbuild" ] || skip "esbuild is missing; run npm ci in tools/viz/page"
    ;;
esac
cd "$here"
case $1 in
  unit) set -- unit/*.test.mjs ;;
  browser) set -- browser/all.mjs ;;
  server)
    [ -n "${INFER_SERVE_URL:-}" ] || skip "INFER_SERVE_URL is not set"
    set -- browser/server.test.mjs
    ;;
  screenshots) exec node screenshots.mjs "$2" ;;
  *) set -- "$1" ;;
esac
exec node --test-reporter=spec "$viz/run_files.mjs" "$@"
