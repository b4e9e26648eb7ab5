#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Attacks the build for as long as it is given: fuzzers on everything that parses untrusted input, a failure of every
# allocation and system call, signals at random moments, stored Programs changed at random, and the suites with sanitizers.
#
#   tools/campaign.sh [--minutes N] [--only NAME,...] [--suites] [--out FILE]
#
#   --minutes N    time for the fuzzers, all together (default 60); the other parts take what they need for one round
#   --only         parts: fuzz, faults, signals, mutations; or fuzzers by name: gguf, http, ...
#   --suites       also every test under ASan and UBSan, under TSan, with g++, and for x86-64 (tools/test.sh --all)
#   --out FILE     where the figures go (default build/campaign/results.md)
#
# A campaign goes on where the last one ended: corpora, sums and seeds are kept in build/campaign. Inputs that break
# something are in build/campaign/finds; one that is mended belongs into a test.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

minutes=60
only=
suites=no
state=$root/build/campaign
out=$state/results.md
usage() { sed -n 's/^# \{0,1\}//; 3,14p' "${BASH_SOURCE[0]}" >&2; }
while [[ $# -gt 0 ]]; do
  case $1 in
    --minutes) minutes=${2:?} && shift ;;
    --only) only=,${2:?}, && shift ;;
    --suites) suites=yes ;;
    --out) out=${2:?} && shift ;;
    -h | --help) usage && exit 0 ;;
    *) usage && exit 2 ;;
  esac
  shift
done
[[ $minutes =~ ^[0-9]+$ ]] || fail "--minutes $minutes: expected a whole number"

# Name, share of the time, extra arguments of libFuzzer. The reader of models is what strangers' files reach first.
fuzzers=(
  "gguf 4 -max_len=65536"
  "program 2 -max_len=32768"
  "graph_text 1 -max_len=8192"
  "policy 1 -max_len=1500 -dict=$root/tests/fuzz/policy.dict"
  "machine 1 -max_len=8192"
  "config 1 -max_len=4096"
  "pack_cache 1 -max_len=600"
  "profile 1 -max_len=8192"
  "tokenizer 1 -max_len=2048"
  "vocabulary 1 -max_len=2048"
  "chat_template 1 -max_len=4096 -dict=$root/tests/fuzz/chat_template.dict"
  "grammar 1 -max_len=2048 -dict=$root/tests/fuzz/grammar.dict"
  "http 1 -max_len=4096"
  "requests 1 -max_len=8192"
)
# Folders of the repository that hold valid inputs of a fuzzer.
declare -A repository_seeds=([policy]=passes/policies [machine]=passes/machines [grammar]=tests/data/grammar)

wanted() { [[ -z $only || $only == *",$1,"* ]]; }
wants_fuzzing() {
  local fuzzer
  if wanted fuzz; then return; fi
  for fuzzer in "${fuzzers[@]}"; do if wanted "${fuzzer%% *}"; then return; fi; done
  return 1
}

configure_fuzzers() {
  if [[ ! -f $root/build/fuzz/build.ninja ]]; then
    cmake -S "$root" -B "$root/build/fuzz" -G Ninja -DCMAKE_BUILD_TYPE=Dev -DINFER_FUZZ=ON \
      "-DINFER_SANITIZE=address;undefined"
  fi
  cmake --build "$root/build/fuzz" --target fuzzers
}

prepare_corpora() {
  local fuzzer name
  "$root/build/fuzz/bin/write_seeds" "$state/seeds"
  if command -v python3 >/dev/null; then
    (cd "$root/tests/frontends/chat" && python3 make_fuzz_corpus.py "$state/seeds/chat_template")
  fi
  for fuzzer in "${fuzzers[@]}"; do
    name=${fuzzer%% *}
    mkdir -p "$state/corpus/$name" "$state/seeds/$name" "$state/finds" "$state/sums" "$state/log"
  done
}

# sum NAME FIELD: a sum of all runs so far.
sum() { sed -n "s/^$2 //p" "$state/sums/$1" 2>/dev/null || printf 0; }

# Adds the run in the log to the sums: executions, seconds, edges, and the executions at which the last new edge appeared.
add_run() {
  local name=$1 log=$2 seconds=$3
  awk -v before="$(sum "$name" executions)" -v seconds="$(($(sum "$name" seconds) + seconds))" \
    -v edges="$(sum "$name" edges)" -v newest="$(sum "$name" newest)" '
    /^#[0-9]+/ && / cov: / {
      at = substr($1, 2) + 0
      for (i = 2; i < NF; ++i) if ($i == "cov:") found = $(i + 1) + 0
      if (found > edges) { edges = found; newest = before + at }
    }
    /^stat::number_of_executed_units:/ { executed = $2 }
    END {
      if (!executed) executed = at
      print "executions " before + executed "\nseconds " seconds "\nedges " edges + 0 "\nnewest " newest + 0
    }' "$log" >"$state/sums/$name.new"
  mv "$state/sums/$name.new" "$state/sums/$name"
}

# fuzz NAME SECONDS ARGUMENT...: ends with libFuzzer's status.
fuzz() {
  local name=$1 seconds=$2 log=$state/log/$1.log start=$SECONDS status=0
  shift 2
  local folders=("$state/corpus/$name" "$state/seeds/$name")
  if [[ -n ${repository_seeds[$name]:-} ]]; then folders+=("$root/${repository_seeds[$name]}"); fi
  # 10 s: longer is a hang. 2 GiB: more is a denial of service.
  "$root/build/fuzz/bin/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$state/finds/$name-" "$@" "${folders[@]}" >"$log" 2>&1 || status=$?
  add_run "$name" "$log" $((SECONDS - start))
  if [[ $status -ne 0 ]]; then printf '%s: %s\n' "$name" "$(grep -m 1 'SUMMARY\|ERROR' "$log")"; fi
  return $status
}

run_fuzzers() {
  local fuzzer name share arguments total=0 running=0 failed=0 seconds
  for fuzzer in "${fuzzers[@]}"; do
    read -r name share arguments <<<"$fuzzer"
    if wanted fuzz || wanted "$name"; then total=$((total + share)); fi
  done
  for fuzzer in "${fuzzers[@]}"; do
    read -r name share arguments <<<"$fuzzer"
    if ! wanted fuzz && ! wanted "$name"; then continue; fi
    seconds=$((minutes * 60 * share * jobs / total))
    # shellcheck disable=SC2086 # a list of arguments
    fuzz "$name" $((seconds > 0 ? seconds : 1)) $arguments &
    running=$((running + 1))
    if [[ $running -ge $jobs ]]; then
      wait -n || failed=$((failed + 1))
      running=$((running - 1))
    fi
  done
  while [[ $running -gt 0 ]]; do
    wait -n || failed=$((failed + 1))
    running=$((running - 1))
  done
  [[ $failed -eq 0 ]]
}

build_tests() { configure dev && build dev --target infer fault_injector faults_test signals_test; }

# Every allocation of every tool takes hours; the stride is halved with each campaign until it is 1.
run_faults() {
  local stride
  stride=$(cat "$state/stride" 2>/dev/null || printf 64)
  INFER_TEST_SERVE_FAULTS=$((3200 / stride)) INFER_TEST_FAULT_STRIDE=$stride "$root/build/dev/bin/faults_test" --gtest_brief=1 | tee "$state/faults"
  printf '%s' $((stride > 1 ? stride / 2 : 1)) >"$state/stride"
  printf '%s' "$stride" >"$state/last_stride"
}

run_signals() {
  INFER_TEST_SIGNALS=${signals_each} "$root/build/dev/bin/signals_test" --gtest_brief=1
}

# Each campaign goes on with other seeds.
run_mutations() {
  local seed
  seed=$(cat "$state/mutations" 2>/dev/null || printf 1)
  "$root/build/asan/bin/mutate_programs" "$mutations" "$seed"
  printf '%s' $((seed + mutations)) >"$state/mutations"
}

rate() { if [[ $2 -gt 0 ]]; then printf '%s' $(($1 / $2)); else printf '-'; fi; }

write_results() {
  local fuzzer name executions newest
  mkdir -p "$(dirname "$out")"
  {
    printf '# Campaign\n\n`tools/campaign.sh`, revision %s, %s CPUs. Sums over all runs of the campaign.\n\n' \
      "$(git -C "$root" rev-parse --short HEAD 2>/dev/null || printf unknown)" "$jobs"
    printf '| fuzzer | executions | per second | edges | last new edge at | finds |\n'
    printf '| --- | ---: | ---: | ---: | ---: | ---: |\n'
    for fuzzer in "${fuzzers[@]}"; do
      name=${fuzzer%% *}
      executions=$(sum "$name" executions)
      if [[ ${executions:-0} -eq 0 ]]; then continue; fi
      newest=$(sum "$name" newest)
      printf '| %s | %s | %s | %s | %s %% | %s |\n' "$name" "$executions" \
        "$(rate "$executions" "$(sum "$name" seconds)")" "$(sum "$name" edges)" $((100 * newest / executions)) \
        "$(find "$state/finds" -name "$name-*" | wc -l | tr -d ' ')"
    done
    if [[ -f $state/faults ]]; then
      printf '\nFailures injected with stride %s: %s calls, each ended in an error line and the code of the table, or in the output of a run without faults.\n' \
        "$(cat "$state/last_stride")" "$(grep -o 'tried [0-9]*' "$state/faults" | awk '{ sum += $2 } END { print sum + 0 }')"
    fi
    if [[ -f $state/mutations ]]; then
      printf '\nPrograms changed at random: %s.\n' $(($(cat "$state/mutations") - 1))
    fi
    if [[ -f $state/signals ]]; then printf '\nSignals: %s to each tool.\n' "$(cat "$state/signals")"; fi
  } >"$out"
}

jobs=$(getconf _NPROCESSORS_ONLN)
mutations=${INFER_TEST_CAMPAIGN_MUTATIONS:-10000}
signals_each=${INFER_TEST_CAMPAIGN_SIGNALS:-170} # six tools: a thousand in all
step_tail_lines=60
on_failure() { write_results; }

mkdir -p "$state"
choose_compiler
if wants_fuzzing; then step_total=$((step_total + 3)); fi
if wanted faults || wanted signals; then step_total=$((step_total + 1)); fi
for part in faults signals; do if wanted $part; then step_total=$((step_total + 1)); fi; done
if wanted mutations; then step_total=$((step_total + 2)); fi
if [[ $suites == yes ]]; then step_total=$((step_total + 1)); fi

if wants_fuzzing; then
  step "Building the fuzzers" build-fuzz configure_fuzzers
  step "Writing seeds" campaign-seeds prepare_corpora
  step "Fuzzing for $minutes minutes" campaign-fuzz run_fuzzers
fi
if wanted faults || wanted signals; then step "Building the tests" campaign-build build_tests; fi
if wanted faults; then step "Failing calls of the system" campaign-faults run_faults; fi
if wanted signals; then
  step "Sending signals" campaign-signals run_signals
  printf '%s' $(($(cat "$state/signals" 2>/dev/null || printf 0) + signals_each)) >"$state/signals"
fi
if wanted mutations; then
  build_mutations() { configure asan && build asan --target mutate_programs; }
  step "Building with AddressSanitizer" campaign-asan build_mutations
  step "Changing stored Programs" campaign-mutations run_mutations
fi
if [[ $suites == yes ]]; then step "Running every suite" campaign-suites "$root/tools/test.sh" --all; fi
write_results
cat "$out"
