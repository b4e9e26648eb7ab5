#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Bundles src/ into dist/page.html and dist/policy.txt. Uses the esbuild of tools/viz/page, whose lock file fixes the
# version, so that equal sources give equal bytes.
# build.sh [OUT]: writes to OUT instead of dist.
set -eu
cd "$(dirname "$0")"
viewer=../../viz/page
[ -d $viewer/node_modules/esbuild ] || (cd $viewer && npm ci --no-audit --no-fund --silent)
exec node build.mjs "${1:-dist}"
