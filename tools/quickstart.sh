#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a clean clone to a tale: installs missing packages, builds the tools, runs the bundled model.
#
#   tools/quickstart.sh [PROMPT] [argument of infer-run...]
#   tools/quickstart.sh --serve [argument of infer-serve...]     serves the model and prints the URL
#
# On a Mac, METAL_CPP_DIR=FOLDER (of Apple's metal-cpp) in the environment builds the target `metal` too.
# The tale goes to stdout, everything else to stderr. A second run builds only what changed. Afterwards
# `cmake --install build/release --prefix FOLDER` installs the tools and the library.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

prompt="Once upon a time"
serve=
case ${1:-} in
  -h | --help)
    say 'usage: tools/quickstart.sh [PROMPT] [argument of infer-run...]   (PROMPT: "Once upon a time")'
    say '       tools/quickstart.sh --serve [argument of infer-serve...]'
    exit 0
    ;;
  --serve)
    serve=1
    shift
    ;;
  -*) ;;
  *) if [[ $# -gt 0 ]]; then
    prompt=$1
    shift
  fi ;;
esac

build_tools() {
  configure release && build release --target installable
}

step_total=3
step "Installing what is missing" install "$root/tools/install_deps.sh"
choose_compiler
step "Building build/release/bin/infer" build-release build_tools
step_number=3
if [[ $serve ]]; then
  say "[3/3] Running infer-serve $*; Ctrl-C ends it"
  exec "$root/build/release/bin/infer-serve" "$@"
fi
say "[3/3] Running infer-run --echo -p \"$prompt\" $*"
exec "$root/build/release/bin/infer-run" --echo -p "$prompt" "$@"
