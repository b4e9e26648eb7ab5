#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# campaign_test.sh SOURCE_DIR: tools/campaign.sh with programs that only say how they end. A part that fails keeps no other
# from running, and the campaign ends with an error nevertheless.
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# program PATH LINE...
program() {
  local path=$work/$1
  shift
  mkdir -p "$(dirname "$path")"
  printf '%s\n' '#!/bin/sh' "$@" >"$path"
  chmod +x "$path"
}
mkdir -p "$work/tools"
cp "$source_dir/tools/campaign.sh" "$source_dir/tools/steps.sh" "$work/tools"
for build in dev asan tsan; do
  mkdir -p "$work/build/$build"
  touch "$work/build/$build/build.ninja"
done
program bin/cmake 'case "$*" in *asan*) [ ! -e "$BROKEN_ASAN" ] ;; esac'
program build/dev/bin/tools_binary_test 'case $1 in *Signals*) exit 0 ;; esac' 'echo "call 7: signal 11"' 'exit 1'
program build/asan/bin/mutate_programs 'echo "2 refused, 1 accepted and run"'
program build/tsan/bin/mutate_programs 'echo "1 refused, 3 accepted and run"' 'test -n "$TSAN_OPTIONS"'

campaign() {
  PATH=$work/bin:$PATH INFER_TEST_CAMPAIGN_MUTATIONS=40 INFER_TEST_CAMPAIGN_SIGNALS=2 BROKEN_ASAN=$work/broken_asan \
    bash "$work/tools/campaign.sh" --jobs 4 --minutes 1 "$@" >"$work/out" 2>"$work/err"
}
# expect STATUS FILE TEXT...
expect() {
  local wanted=$1 file=$work/$2 text
  shift 2
  if [[ $status -ne $wanted ]]; then
    cat "$work/err" "$work/out" >&2
    printf 'ended with %d, expected %d\n' "$status" "$wanted" >&2
    exit 1
  fi
  for text in "$@"; do
    if ! grep -qF -- "$text" "$file"; then
      cat "$work/err" "$work/out" >&2
      printf 'no "%s" in %s\n' "$text" "${file##*/}" >&2
      exit 1
    fi
  done
}

status=0
campaign --only faults,signals,mutations || status=$?
expect 1 out 'Signals: 90.' 'Programs changed at random: 40 refused, 20 accepted' '10 refused, 30 accepted and run; none races'
expect 1 err "error: failed: 'Failing calls of the system'"
grep -q '\[7/7\]' "$work/err" || { cat "$work/err" >&2 && exit 1; }

# A build that fails leaves out what needs it, and nothing else.
rm -rf "$work/build/campaign"
touch "$work/broken_asan"
status=0
campaign --only mutations || status=$?
expect 1 err "error: failed: 'Building with AddressSanitizer'"
expect 1 out '10 refused, 30 accepted and run; none races'

rm -rf "$work/build/campaign" "$work/broken_asan"
status=0
campaign --only signals,mutations || status=$?
expect 0 out 'Signals: 90.'
