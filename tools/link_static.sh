#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Links a test of the x86-64 build statically, to run it on a machine that has none of the libraries.
#
#   tools/link_static.sh TARGET FILE      e.g. tools/link_static.sh conformance_test conformance_x86
#   INFER_CPU=avx512 ./conformance_x86    on that machine; it needs nothing but the kernel
#
# tools/test_x86.sh makes the build first. Programs that need oneTBB cannot be linked this way: it has no static library.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

[[ $# -eq 2 ]] || fail "usage: tools/link_static.sh TARGET FILE"
target=$1 file=$(realpath -m "$2")
[[ -f $root/build/x86/build.ninja ]] || fail "build/x86 was not found; run tools/test_x86.sh first"
build x86 --target "$target" >&2

# The last command of the target is its link: `: && clang++ ... && :`.
link=$(ninja -C "$root/build/x86" -t commands "$target" | tail -n 1 | sed -E 's/^: && //; s/ && .*$//')
[[ $link == *" -o bin/$target "* ]] || fail "'$target' is no program of build/x86; ninja -C build/x86 -t targets lists them"
# The order of static libraries matters and differs from that of the shared ones, so all become one group.
link=$(sed -E "s# -o bin/$target # -static -s -Wl,--start-group -o '$file' #; s#(/lib[A-Za-z0-9_+-]+)\.so[.0-9]*#\1.a#g" <<<"$link")
(cd "$root/build/x86" && bash -c "$link -Wl,--end-group") ||
  fail "'$target' could not be linked statically; a library without a static version is named above"
say "$file"
