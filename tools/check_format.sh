#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails if a C++ file is not formatted as .clang-format says. `tools/check_format.sh --fix` rewrites them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
cd "$root"

# The version matters: other ones break lines elsewhere.
clang_format=clang-format-19
if ! command -v $clang_format >/dev/null; then clang_format=clang-format; fi
mode=(--dry-run -Werror)
if [[ ${1:-} == --fix ]]; then mode=(-i); fi

# Without a git work tree (a source archive) every file is looked at.
list_files() {
  git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cc' 2>/dev/null ||
    find . -path ./build -prune -o \( -name '*.h' -o -name '*.cc' \) -print0
}
list_files | xargs -0 -n 100 -P "$(getconf _NPROCESSORS_ONLN)" $clang_format "${mode[@]}" --style=file -- ||
  fail "the files above are not formatted; run tools/check_format.sh --fix"
