#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that building and testing need: Debian and Ubuntu through apt, macOS through Homebrew.
# What is there already is left alone, so a second run needs neither the network nor root.
#
# The tests of the pages need Node 20, Chromium and two npm packages. What of these cannot be installed is named, and the
# tests that need it are skipped and counted.
#
#   tools/install_deps.sh          everything for tools/quickstart.sh and tools/test.sh
#   tools/install_deps.sh --all    also what tools/test.sh --all needs (clang-tidy, g++, qemu)
#
# The GPU of a Mac needs metal-cpp, which Homebrew does not have: see backends/metal/README.md.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

apt_packages=(
  clang-19 clang-format-19 libclang-rt-19-dev lld-19 ccache cmake ninja-build pkg-config
  libabsl-dev libprotobuf-dev protobuf-compiler libcli11-dev nlohmann-json3-dev libpcre2-dev libutf8proc-dev
  libedit-dev zlib1g-dev tmux "$(boost_package)" libssl-dev
  libopenmpi-dev openmpi-bin
  pybind11-dev python3-dev python3-numpy python3-matplotlib
  libgtest-dev libgmock-dev libxxhash-dev libbenchmark-dev libtbb-dev
)
apt_packages_all=(clang-tidy-19 g++ qemu-user slowhttptest)
apt_packages_page=(nodejs npm chromium)
brew_packages_page=(node)
brew_packages=(
  ccache cmake ninja pkg-config clang-format
  abseil protobuf cli11 nlohmann-json pcre2 utf8proc googletest google-benchmark xxhash tbb tmux boost openssl@3
  pybind11 numpy python-matplotlib
)

apt_missing() {
  local package
  for package in "$@"; do
    if [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
      printf '%s\n' "$package"
    fi
  done
}

# An unprivileged user needs sudo for the two apt-get calls and for nothing else.
as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing ${missing[*]} needs root, and there is no sudo; run 'apt-get install ${missing[*]}' as root"
  fi
}

install_apt() {
  local missing=() package
  while IFS= read -r package; do missing+=("$package"); done < <(apt_missing "$@")
  if [[ ${#missing[@]} -eq 0 ]]; then
    say "packages: all ${#} are installed"
    return
  fi
  say "packages: reading the package lists"
  if ! as_root apt-get -qq update >&2; then
    say "packages: the lists could not be refreshed; trying with those that are here"
  fi
  for package in "${missing[@]}"; do
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      fail "no package '$package' in this distribution; needed is Debian 12, Ubuntu 24.04 or later (this is" \
        "$(. /etc/os-release && printf '%s' "${PRETTY_NAME:-unknown}")); if it is one of these, run 'apt-get update' and look at its errors"
    fi
  done
  say "packages: installing ${missing[*]}"
  if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >&2; then
    fail "apt-get could not install the packages above; run 'apt-get install ${missing[*]}' and follow what it says"
  fi
}

install_brew() {
  if ! command -v brew >/dev/null; then
    fail "Homebrew is not installed; see https://brew.sh, then run this again"
  fi
  if ! xcode-select -p >/dev/null 2>&1; then
    fail "Apple's compiler is not installed; run 'xcode-select --install', then run this again"
  fi
  local installed missing=() package
  installed=$'\n'$(brew list --formula -1)$'\n'
  for package in "$@"; do
    # pkg-config is an alias that Homebrew lists as pkgconf.
    if [[ $installed != *$'\n'"$package"$'\n'* ]] && ! brew list --formula "$package" >/dev/null 2>&1; then
      missing+=("$package")
    fi
  done
  if [[ ${#missing[@]} -eq 0 ]]; then
    say "packages: all ${#} are installed"
    return
  fi
  say "packages: installing ${missing[*]}"
  brew install --quiet "${missing[@]}" >&2 ||
    fail "Homebrew could not install the packages above; run 'brew install ${missing[*]}' and follow what it says"
}

# install_optional PACKAGE...: says what could not be installed.
install_optional() {
  local package
  for package in "$@"; do
    if [[ $(uname -s) == Darwin ]]; then
      brew list --formula "$package" >/dev/null 2>&1 || brew install --quiet "$package" >&2 ||
        say "page tests: $package could not be installed; tests that need it are skipped"
    elif [[ -n $(apt_missing "$package") ]]; then
      (install_apt "$package") || say "page tests: $package could not be installed; tests that need it are skipped"
    fi
  done
}

node_major() { node -p 'process.versions.node.split(".")[0]' 2>/dev/null || printf 0; }

# Node 20 where the distribution's is older, and the packages that the page tests import.
install_page_tools() {
  if ! command -v npm >/dev/null || [[ $(node_major) -lt 20 ]]; then
    if [[ $(uname -s) == Darwin ]]; then
      install_optional "${brew_packages_page[@]}"
    else
      install_optional "${apt_packages_page[@]}"
    fi
  elif [[ $(uname -s) != Darwin ]] && ! command -v chromium chromium-browser google-chrome >/dev/null; then
    install_optional chromium
  fi
  if ! command -v npm >/dev/null; then return; fi
  if [[ $(node_major) -lt 20 && ! -x $page_node/node_modules/.bin/node ]]; then
    npm install --silent --prefix "$page_node" node@20 >&2 ||
      say "page tests: node $(node_major) is older than 20, and npm has no newer one; they are skipped"
  fi
  local folder
  for folder in tests/viz tools/viz/page; do
    if node "$root/tests/viz/installed.mjs" "$root/$folder" >/dev/null; then continue; fi
    (cd "$root/$folder" && npm ci --silent >&2) ||
      say "page tests: npm ci in $folder failed; tests that need its packages are skipped"
  done
}

case ${1:-} in
  '' | --all) ;;
  *) say "usage: tools/install_deps.sh [--all]" && exit 2 ;;
esac

if [[ $(uname -s) == Darwin ]]; then
  install_brew "${brew_packages[@]}"
  if [[ -z ${METAL_CPP_DIR:-} ]]; then
    say "Metal: off; for the GPU download metal-cpp (macOS 15 or later) from https://developer.apple.com/metal/cpp/," \
      "unpack it and run this with METAL_CPP_DIR=FOLDER"
  elif [[ ! -f $METAL_CPP_DIR/Metal/Metal.hpp ]]; then
    fail "METAL_CPP_DIR=$METAL_CPP_DIR holds no Metal/Metal.hpp; give the folder that metal-cpp was unpacked to"
  fi
elif command -v apt-get >/dev/null; then
  if [[ ${1:-} == --all ]]; then apt_packages+=("${apt_packages_all[@]}"); fi
  install_apt "${apt_packages[@]}"
else
  fail "neither apt nor Homebrew here; install the packages that tools/install_deps.sh lists by hand," \
    "then build with 'cmake --preset release && cmake --build --preset release'"
fi
install_page_tools
