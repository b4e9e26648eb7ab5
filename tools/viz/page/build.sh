#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Bundles the page into dist/. The lock file fixes every version, so that equal sources give equal bytes.
# build.sh [OUT]: writes to OUT instead of dist.
set -eu
cd "$(dirname "$0")"
out=${1:-dist}
[ -d node_modules/esbuild ] || npm ci --no-audit --no-fund --silent
mkdir -p "$out"
# The packages that are in the bundle, with the terms that they come under. Pages carry them too: the script begins
# with them.
{
  echo "viewer.js contains the packages below. All else is under the project's own licence."
  for package in @dagrejs/dagre @dagrejs/graphlib d3-color d3-dispatch d3-drag d3-ease d3-interpolate d3-selection \
      d3-timer d3-transition d3-zoom; do
    version=$(sed -n 's/^  "version": "\(.*\)",\{0,1\}$/\1/p' "node_modules/$package/package.json")
    printf '\n%s %s\n\n' "$package" "$version"
    cat "node_modules/$package/LICENSE"
  done
} > "$out/LICENSES.txt"
banner=$(printf '/*\n%s\n*/' "$(cat "$out/LICENSES.txt")")
node_modules/.bin/esbuild src/main.js --bundle --minify --format=iife --target=es2022 --legal-comments=none \
  --charset=ascii --log-level=warning --banner:js="$banner" --outfile="$out/viewer.js"
node_modules/.bin/esbuild src/viewer.css --minify --target=es2022 --log-level=warning --outfile="$out/viewer.css"
