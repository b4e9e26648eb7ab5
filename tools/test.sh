#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All checks: the format, the tests, and the parsers under AddressSanitizer and UndefinedBehaviorSanitizer.
#
#   tools/test.sh [--all] [argument of ctest...]      e.g. tools/test.sh -R Tokenizer
#
# --all adds the tests with the label `long`, the long campaigns, clang-tidy, and every test under AddressSanitizer and
# under ThreadSanitizer, with g++ and without precompiled headers, and for x86-64 under qemu.
# The last lines are ctest's summary of the everyday build.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

all=no
if [[ ${1:-} == --all ]]; then
  all=yes
  shift
elif [[ ${1:-} == -h || ${1:-} == --help ]]; then
  say 'usage: tools/test.sh [--all] [argument of ctest...]'
  exit 0
fi
ctest_arguments=("$@")
jobs=$(getconf _NPROCESSORS_ONLN)
step_tail_lines=200
set_tsan_options

# run_tests PRESET [ARGUMENT...]
run_tests() {
  local dir=$root/build/$1
  shift
  ctest --test-dir "$dir" --output-on-failure -j "$jobs" ${ctest_arguments[@]+"${ctest_arguments[@]}"} "$@"
}

build_parsers() { configure asan && build asan --target parser_tests; }

# Every test of the server's page in a browser; 77 says that something for it is missing.
run_page_tests() {
  local code=0
  INFER_TEST_PAGE=all "$root/tests/tools/serve/page/run.sh" browser || code=$?
  [[ $code == 0 || $code == 77 ]]
}

# What the everyday run takes a slice of: stored Programs changed at random, sequences that share steps, the same bits
# and texts for requests, prompts and drafts of all kinds, the same bits for ranks of all numbers, ranks that die, clients
# that damage or delay their requests, masks of grammars in more states, and the page.
run_campaigns() {
  local bin=$root/build/dev/bin
  "$root/build/asan/bin/mutate_programs" 10000 &&
    INFER_TEST_INTERLEAVINGS=1000 "$bin/session_test" --gtest_filter='*InterleavingsTest.*' --gtest_brief=1 &&
    INFER_TEST_REQUESTS=1000 "$bin/session_test" --gtest_filter='Requests.*' --gtest_brief=1 &&
    INFER_TEST_PROMPTS=500 "$bin/session_test" --gtest_filter='Drafts.*' --gtest_brief=1 &&
    { [[ ! -x $bin/metal_test ]] || INFER_TEST_PROMPTS=50 "$bin/metal_test" --gtest_filter='MetalModel.*' --gtest_brief=1; } &&
    INFER_TEST_PROMPTS=200 "$bin/model_test" --gtest_filter='*Invarian*' --gtest_brief=1 &&
    INFER_TEST_PROMPTS=50 "$bin/model_test" --gtest_filter='*Shard*:*JoinedParts*' --gtest_brief=1 &&
    INFER_TEST_PROMPTS=50 "$bin/tools_binary_test" --gtest_filter='*RankBits.*' --gtest_brief=1 &&
    INFER_TEST_KILLS=50 "$bin/tools_binary_test" --gtest_filter='RankFailures.*' --gtest_brief=1 &&
    INFER_TEST_DAMAGES=100000 "$bin/ir_test" --gtest_filter='FileDamage.*' --gtest_brief=1 &&
    INFER_TEST_GRAMMAR_STATES=25 "$bin/frontends_test" --gtest_filter='ComputeMask.*' --gtest_brief=1 &&
    INFER_TEST_CHANGED_REQUESTS=50000 "$root/build/asan/bin/serve_http_test" --gtest_filter='RequestReader.*' \
      --gtest_brief=1 &&
    INFER_TEST_SLOW_CLIENTS=1000 "$bin/serve_http_test" --gtest_filter='SlowHttpTest.*' --gtest_brief=1 &&
    run_page_tests
}

# build_all PRESET [CMAKE ARGUMENT...]
build_all() { configure "$@" && build "$1"; }

# Without precompiled headers and with each file compiled alone, because both hide that a file does not include what it
# uses, and without a clang for the kernels of CUDA, as on a machine that has only g++: one build finds all such mistakes.
build_gcc() {
  CC=gcc CXX=g++ cmake -S "$root" -B "$root/build/gcc" -G Ninja -DCMAKE_BUILD_TYPE=Dev \
    -DINFER_PCH=OFF -DINFER_UNITY=OFF -DINFER_PTX_CXX= || return
  build gcc
}

print_table() {
  say ""
  printf '  %s\n' "${step_table[@]}" >&2
  say ""
}
on_failure() { print_table; }

# ctest lists tests that were skipped whole; this says why, with the number of cases for each reason. GoogleTest names the
# reason of a case in the line after "FILE:LINE: Skipped".
print_skipped() {
  local reasons
  reasons=$(sed -n -e 's/^skipped: //p' -e '/^[^ ]*:[0-9]*: Skipped$/{n;p;}' "$root/build/dev/Testing/Temporary/LastTest.log" |
    sort | uniq -c)
  if [[ -z $reasons ]]; then return; fi
  printf '\nSkipped:\n%s\n' "$reasons"
}

step_total=6
install_arguments=()
if [[ $all == yes ]]; then
  install_arguments=(--all)
  step_total=15
  # On macOS g++ is another name of clang, Xcode has no clang-tidy, and there is no qemu for programs.
  if [[ $(uname -s) == Darwin ]]; then step_total=11; fi
fi

step "Installing what is missing" install "$root/tools/install_deps.sh" ${install_arguments[@]+"${install_arguments[@]}"}
choose_compiler
step "Checking the format" format "$root/tools/check_format.sh"
step "Building the tests" build-dev build_all dev
everyday=()
if [[ $all == no && ${#ctest_arguments[@]} -eq 0 ]]; then everyday=(-LE long); fi
step "Running the tests" test-dev run_tests dev ${everyday[@]+"${everyday[@]}"}
step "Building the parsers' tests with sanitizers" build-asan-parsers build_parsers
step "Running the parsers' tests with sanitizers" test-asan-parsers run_tests asan -L parser --no-tests=error
if [[ $all == yes ]]; then
  step "Building with AddressSanitizer" build-asan build_all asan
  step "Running the tests with AddressSanitizer" test-asan run_tests asan
  step "Running the long campaigns" campaigns run_campaigns
  step "Building with ThreadSanitizer" build-tsan build_all tsan
  step "Running the tests with ThreadSanitizer" test-tsan run_tests tsan
fi
if [[ $step_total -eq 15 ]]; then
  step "Checking with clang-tidy" tidy "$root/tools/check_tidy.sh"
  step "Building with g++ and without precompiled headers" build-gcc build_gcc
  step "Running the tests of the g++ build" test-gcc run_tests gcc
  step "Building and testing for x86-64 under qemu" test-x86 \
    "$root/tools/test_x86.sh" ${ctest_arguments[@]+"${ctest_arguments[@]}"}
fi
print_table
# The relevant part of ctest's output; the rest is in the log.
sed -n '/% tests passed/,$p' "$log_dir/test-dev.log"
print_skipped
