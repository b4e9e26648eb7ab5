#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a release of a tag: the source as an archive, Debian packages, and their checksums.
#
#   tools/release.sh v0.1.0 [FOLDER]      into build/releases/v0.1.0 if no folder is given
#
# Everything is made from the tag in a folder of its own, never from the working tree. tools/package/check_deb.sh tries
# the packages in a clean Debian afterwards. Nothing is uploaded.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

case ${1:-} in
  '' | -*)
    say 'usage: tools/release.sh TAG [FOLDER]'
    exit 2
    ;;
esac
tag=$1
out=$(realpath -m "${2:-$root/build/releases/$tag}")
work=$root/build/release-of-tag
source_dir=$work/source
build_dir=$work/build

git -C "$root" rev-parse -q --verify "refs/tags/$tag^{commit}" >/dev/null ||
  fail "there is no tag '$tag'; make it with 'git tag -a $tag'"
version=${tag#v}
stated=$(git -C "$root" show "$tag:CMakeLists.txt" | sed -n 's/^project(infer VERSION \([0-9.]*\).*/\1/p')
[[ $stated == "$version" ]] || fail "the tag is '$tag', but its CMakeLists.txt says version $stated"
[[ ! -e $out ]] || fail "$out exists; a release is never made twice into one folder"
# Files in packages and archives get the time of the commit, so that the same tag gives the same files.
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct "$tag")
export SOURCE_DATE_EPOCH

check_out() {
  rm -rf "$source_dir"
  mkdir -p "$work"
  # A clone rather than an archive: --version shows the revision.
  git clone -q --no-hardlinks "$root" "$source_dir" && git -C "$source_dir" checkout -q "$tag"
}

build_packages() {
  cmake -S "$source_dir" --preset release -B "$build_dir" -DCMAKE_INSTALL_PREFIX=/usr &&
    cmake --build "$build_dir" --target packaged
}

pack() {
  rm -rf "$work/packages"
  cpack --config "$build_dir/CPackConfig.cmake" -B "$work/packages" || return
  mkdir -p "$work/out"
  rm -f "$work"/out/*
  cp "$work"/packages/*.deb "$work/out/" &&
    git -C "$root" archive --format=tar --prefix="infer-$version/" "$tag" | gzip -9n >"$work/out/infer-$version.tar.gz"
}

# The formula needs the checksum of the archive, so it is written here and not in the tree.
write_formula() {
  local sum
  sum=$(sha256sum <"$work/out/infer-$version.tar.gz" | cut -d ' ' -f 1)
  sed "s/@VERSION@/$version/; s/@SHA256@/$sum/" "$source_dir/tools/package/infer.rb.in" >"$work/out/infer.rb"
  (cd "$work/out" && sha256sum -- * >SHA256SUMS)
}

publish() {
  mkdir -p "$(dirname "$out")" && mv "$work/out" "$out"
}

step_total=6
choose_compiler
step "Checking out $tag" release-source check_out
step "Building" release-build build_packages
step "Packing" release-pack pack
step "Writing the formula and checksums" release-sums write_formula
step "Checking the checksums" release-check bash -c "cd '$work/out' && sha256sum -c SHA256SUMS"
step "Moving everything to $out" release-move publish
ls "$out"
