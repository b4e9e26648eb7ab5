#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the tests for another CPU and runs them under qemu, on a Debian or Ubuntu machine of any kind.
#
#   tools/test_qemu.sh x86_64|aarch64 [argument of ctest...]
#
# The packages of that CPU are unpacked into build/sysroot-CPU with lists of their own, so the packages and the
# architectures of this machine stay as they are, and no root is needed. The host's protoc must be of the same
# version, which it is, since both come from the same release.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

cpu=${1:-}
case $cpu in
  x86_64) debian=amd64 build_name=x86 ;;
  aarch64) debian=arm64 build_name=aarch64 ;;
  *) fail "the first argument is the CPU to test for: x86_64 or aarch64" ;;
esac
shift
sysroot=$root/build/sysroot-$debian
# The version of the standard library in the host's own release: 12 on Debian 12.
libstdcxx=$(dpkg-query -W -f '${Package}\n' 'libstdc++-*-dev' 2>/dev/null | grep -x 'libstdc++-[0-9]*-dev' | tail -n 1)
packages=(
  libc6-dev "${libstdcxx:-libstdc++-12-dev}" libabsl-dev libprotobuf-dev libcli11-dev nlohmann-json3-dev libpcre2-dev
  libutf8proc-dev libgtest-dev libgmock-dev libxxhash-dev libtbb-dev libbenchmark-dev
  "$(boost_package)" libssl-dev zlib1g-dev
)

foreign_apt() {
  local state=$root/build/apt-$debian
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  : >"$state/status" # nothing counts as installed, so that all dependencies are fetched too
  apt-get -qq -o APT::Architecture="$debian" -o APT::Architectures::="$debian" -o Dir::State="$state" \
    -o Dir::State::lists="$state/lists" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" "$@"
}

make_sysroot() {
  local stamp=$sysroot/packages.txt archive
  if [[ -f $stamp && $(<"$stamp") == "${packages[*]}" ]]; then return; fi
  say "$cpu: downloading the $debian packages"
  foreign_apt update >&2 || say "$cpu: the lists could not be refreshed; trying with those that are here"
  foreign_apt install -y --no-install-recommends --download-only "${packages[@]}" >&2 ||
    fail "the $debian packages could not be downloaded; does the package mirror carry $debian of this release?"
  say "$cpu: unpacking them into ${sysroot#"$root"/}"
  rm -rf "$sysroot"
  mkdir -p "$sysroot/usr/lib" "$sysroot/usr/lib64"
  # Packages put files under /lib and under /usr/lib; on a merged system both are one folder.
  ln -s usr/lib "$sysroot/lib"
  ln -s usr/lib64 "$sysroot/lib64"
  for archive in "$root"/build/apt-$debian/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink --no-same-owner -C "$sysroot" ||
      fail "$archive could not be unpacked; remove build/apt-$debian and run this again"
  done
  # Absolute links lead out of the sysroot.
  find "$sysroot" -type l -lname '/*' | while IFS= read -r link; do
    ln -sfn "$sysroot$(readlink "$link")" "$link"
  done
  printf '%s' "${packages[*]}" >"$stamp"
}

command -v "qemu-$cpu" >/dev/null || fail "qemu-$cpu was not found; run tools/install_deps.sh --all"
make_sysroot
if [[ ! -f $root/build/$build_name/build.ninja ]]; then
  say "$cpu: configuring"
  cmake -S "$root" -B "$root/build/$build_name" -G Ninja -DCMAKE_BUILD_TYPE=Dev \
    -DCMAKE_TOOLCHAIN_FILE="$root/cmake/cross-linux.cmake" -DINFER_CROSS_CPU="$cpu" -DINFER_SYSROOT="$sysroot" \
    -DProtobuf_PROTOC_EXECUTABLE="$(command -v protoc)"
fi
say "$cpu: building"
build "$build_name"
say "$cpu: testing under qemu"
# Left out: what starts a built program itself, which needs an emulator known to the kernel (the label `cli`, death tests
# that start their own program again), and the damaged files of the parsers, which have no code for a CPU and would take
# most of an hour here.
ctest --test-dir "$root/build/$build_name" --output-on-failure -LE 'cli|parser' -E 'DeathTest' \
  -j "$(getconf _NPROCESSORS_ONLN)" "$@"
ctest --test-dir "$root/build/$build_name" --output-on-failure -R '^ir_test\.' -E 'DeathTest|Damage' \
  -j "$(getconf _NPROCESSORS_ONLN)" "$@"
