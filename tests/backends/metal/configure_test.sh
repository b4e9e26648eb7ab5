#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# When `configure` of tools/steps.sh starts cmake for METAL_CPP_DIR, and with which folder.
#   configure_test.sh STEPS WORK_DIR
set -euo pipefail
steps=$1 work=$2
rm -rf "$work"
mkdir -p "$work/tools" "$work/bin" "$work/build/release" "$work/metal-cpp/Metal" "$work/other"
work=$(cd "$work" && pwd)
cp "$steps" "$work/tools/steps.sh"
printf '#!/bin/sh\necho "$@" >>"%s/calls"\n' "$work" >"$work/bin/cmake"
chmod +x "$work/bin/cmake"
export PATH=$work/bin:$PATH
unset METAL_CPP_DIR
failed=0

# expect WHAT ENTRY CALL [VARIABLE=VALUE]: with ENTRY in the cache of a configured folder, the call of cmake.
expect() {
  printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\n%s\n' "$work" "$2" >"$work/build/release/CMakeCache.txt"
  touch "$work/build/release/build.ninja"
  : >"$work/calls"
  (cd "$work/other" && env ${4:+"$4"} bash -euo pipefail -c 'source ../tools/steps.sh && configure release')
  if [[ $(cat "$work/calls") == "$3" ]]; then return; fi
  printf '%s: cmake was called with "%s" instead of "%s"\n' "$1" "$(cat "$work/calls")" "$3"
  failed=1
}

dir=$work/metal-cpp
set_dir="-DMETAL_CPP_DIR:PATH=$dir $work/build/release"
expect "given after a build without" "METAL_CPP_DIR:PATH=" "$set_dir" "METAL_CPP_DIR=$dir"
expect "given another one" "METAL_CPP_DIR:PATH=$work/other" "$set_dir" "METAL_CPP_DIR=$dir"
expect "given as seen from the caller" "METAL_CPP_DIR:PATH=" "$set_dir" "METAL_CPP_DIR=../metal-cpp/"
expect "given again" "METAL_CPP_DIR:PATH=$dir" "" "METAL_CPP_DIR=$dir"
expect "given again, relative" "METAL_CPP_DIR:PATH=$dir" "" "METAL_CPP_DIR=../metal-cpp"
expect "not given" "METAL_CPP_DIR:PATH=$dir" ""
expect "given where there is no Metal" "OTHER:PATH=" "" "METAL_CPP_DIR=$dir"
exit $failed
