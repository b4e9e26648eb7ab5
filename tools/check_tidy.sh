#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs clang-tidy with the checks of .clang-tidy on the sources outside tests, as build/dev compiles them.
#
#   tools/check_tidy.sh [FILE...]      all files, or these (paths from the root)
#
# The dev build must exist: generated and precompiled headers are read from it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
cd "$root"

clang_tidy=clang-tidy-19
command -v $clang_tidy >/dev/null || fail "$clang_tidy was not found; run tools/install_deps.sh --all"
commands=build/dev/compile_commands.json
[[ -f $commands ]] || fail "$commands was not found; run tools/test.sh first"

# Files that are compiled more than once are checked once; generated files are below build/.
list_files() {
  if [[ $# -gt 0 ]]; then
    printf '%s\n' "$@"
  else
    sed -n "s#^ *\"file\": \"$root/\(.*\)\"#\1#p" "$commands" | grep -v -e '^build/' -e '^tests/' -e '^cmake/' | sort -u
  fi
}
# The count of suppressed warnings from system headers is of no interest.
list_files "$@" | xargs -n 4 -P "$(getconf _NPROCESSORS_ONLN)" $clang_tidy --quiet -p build/dev 2>&1 |
  { grep -v -e ' warnings\{0,1\} generated\.$' -e 'Processing file' || true; } ||
  fail "clang-tidy found the above; mend it, or leave the check out in .clang-tidy with the reason"
