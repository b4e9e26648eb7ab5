#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs clang-tidy with the checks of .clang-tidy on the sources outside tests, each file alone.
#
#   tools/check_tidy.sh [FILE...]      all files, or these (paths from the root)
#
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
cd "$root"

clang_tidy=clang-tidy-19
command -v $clang_tidy >/dev/null || fail "$clang_tidy was not found; run tools/install_deps.sh --all"
choose_compiler
# A build in which every file has a command of its own; only headers are generated in it.
cmake --preset dev -B build/tidy -DINFER_UNITY=OFF -DINFER_PCH=OFF >&2 &&
  cmake --build build/tidy --target generated_headers >&2 || fail "build/tidy could not be configured; see above"
commands=build/tidy/compile_commands.json

# Files that are compiled more than once are checked once; generated files are below build/.
list_files() {
  if [[ $# -gt 0 ]]; then
    printf '%s\n' "$@"
  else
    sed -n "s#^ *\"file\": \"$root/\(.*\)\"#\1#p" "$commands" | grep -v -e '^build/' -e '^tests/' -e '^cmake/' | sort -u
  fi
}
# The count of suppressed warnings from system headers is of no interest.
list_files "$@" | xargs -n 4 -P "$(getconf _NPROCESSORS_ONLN)" $clang_tidy --quiet -p build/tidy 2>&1 |
  { grep -v -e ' warnings\{0,1\} generated\.$' -e 'Processing file' || true; } ||
  fail "clang-tidy found the above; mend it, or leave the check out in .clang-tidy with the reason"
