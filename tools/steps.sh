# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by the scripts beside it: numbered progress lines, one per step, and what every build needs.
#
# Progress goes to stderr. The output of a step goes to a log that is shown only when the step fails; on a
# terminal its latest line is shown while the step runs.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Where tools/install_deps.sh puts Node if the distribution's is too old for the tests of the pages.
page_node=$root/build/node
if [[ -x $page_node/node_modules/.bin/node ]]; then PATH=$page_node/node_modules/.bin:$PATH; fi
log_dir=$root/build/log
step_number=0
step_total=0 # set by the script, after it knows what it will do
step_table=()

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "error: $*"
  exit 1
}

seconds_since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f s", b - a }'; }

# Seconds, with a fraction if bash supports it (version 5); macOS ships bash 3.2.
now() { printf '%s' "${EPOCHREALTIME:-$(date +%s)}" | tr ',' '.'; }

# The package with Boost's headers, by name: Debian 12's default is older than 1.81, and Ubuntu 24.04 has 1.83.
boost_package() {
  local package=libboost1.81-dev
  if command -v apt-cache >/dev/null && ! apt-cache show "$package" >/dev/null 2>&1; then package=libboost1.83-dev; fi
  printf '%s' "$package"
}

# show_latest LOG PREFIX: copies stdin to LOG; on a terminal shows each line behind PREFIX, in place.
show_latest() {
  if [[ ! -t 2 ]]; then
    cat >"$1"
    return
  fi
  tee "$1" | while IFS= read -r line; do
    printf '\r\033[K%s: %.60s' "$2" "$line" >&2
  done
  printf '\r\033[K%s ...' "$2" >&2
}

# step LABEL NAME COMMAND...: runs COMMAND with its output in build/log/NAME.log and ends the script if it fails.
# A function `on_failure` of the script is called first, if there is one.
step() {
  local label=$1 log=$log_dir/$2.log start
  shift 2
  step_number=$((step_number + 1))
  mkdir -p "$log_dir"
  start=$(now)
  printf '[%d/%d] %s ...' "$step_number" "$step_total" "$label" >&2
  local status=0
  { "$@" 2>&1 </dev/null; } | show_latest "$log" "[$step_number/$step_total] $label" || status=$?
  local took
  took=$(seconds_since "$start")
  step_table+=("$(printf '%-52s %10s' "$label" "$took")")
  if [[ $status -eq 0 ]]; then
    say " $took"
    return
  fi
  say " FAILED after $took"
  if declare -F on_failure >/dev/null; then on_failure; fi
  tail -n "${step_tail_lines:-40}" "$log" >&2
  # One of our scripts that ended with its own error line needs no further message.
  if [[ $(tail -n 1 "$log") == error:* ]]; then exit 1; fi
  fail "'$label' failed: the lines above say why, the whole output is in ${log#"$root"/}"
}

# The folder of metal-cpp may be named as seen from where the caller is; the build is made elsewhere.
if [[ -d ${METAL_CPP_DIR:-} ]]; then
  METAL_CPP_DIR=$(cd "$METAL_CPP_DIR" && pwd)
  export METAL_CPP_DIR
fi

# Sets CC and CXX unless the caller did. The project's speed figures hold for clang 19.
choose_compiler() {
  if [[ -n ${CXX:-} ]]; then return; fi
  if command -v clang++-19 >/dev/null; then
    export CC=clang-19 CXX=clang++-19
  elif [[ $(uname -s) != Darwin ]]; then
    say "note: clang++-19 was not found, so the system compiler is used; speed figures hold for clang 19"
  fi
}

# Suppressions by the names of functions need a symbolizer, which clang looks for only under the name of its own version.
set_tsan_options() {
  local symbolizer
  symbolizer=$(command -v llvm-symbolizer-19 || command -v llvm-symbolizer || command -v addr2line || true)
  export TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions=$root/tests/tsan_suppressions.txt${symbolizer:+:external_symbolizer_path=$symbolizer}}
}

# configure_metal DIR: tells a folder that is configured already of METAL_CPP_DIR, if it has another one or none. Only
# on macOS does the cache have the entry.
configure_metal() {
  local cache=$1/CMakeCache.txt
  if [[ -z ${METAL_CPP_DIR:-} ]] || ! grep -q '^METAL_CPP_DIR:' "$cache"; then return; fi
  if grep -qxF "METAL_CPP_DIR:PATH=$METAL_CPP_DIR" "$cache"; then return; fi
  cmake "-DMETAL_CPP_DIR:PATH=$METAL_CPP_DIR" "$1"
}

# configure PRESET [ARGUMENT...]: once for each build folder; afterwards ninja itself sees changes of the build
# files. A folder copied together with its clone is configured afresh, since CMake stores absolute paths.
configure() {
  local preset=$1 dir=$root/build/$1
  shift
  local source="CMAKE_HOME_DIRECTORY:INTERNAL=$root"
  if [[ -f $dir/CMakeCache.txt ]] && ! grep -qxF "$source" "$dir/CMakeCache.txt"; then
    rm -rf "$dir"
  fi
  if [[ -f $dir/build.ninja ]]; then
    configure_metal "$dir"
    return
  fi
  (cd "$root" && cmake --preset "$preset" "$@")
}

# build PRESET [ARGUMENT...]: what changed, of the given targets.
build() {
  local preset=$1
  shift
  cmake --build "$root/build/$preset" "$@"
}
