#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Attacks the build for as long as it is given: fuzzers on everything that parses untrusted input, a failure of every
# allocation and system call, signals at random moments, stored Programs changed at random, and the suites with sanitizers.
#
#   tools/campaign.sh [--minutes N] [--executions N] [--jobs N] [--only NAME,...] [--tools BUILD] [--suites]
#                     [--save-corpora] [--out FILE]
#
#   --minutes N      the most time for each part (default 60)
#   --executions N   a fuzzer rests after this many, the reader of models after six times as many (default 5000000)
#   --jobs N         processes at a time (default: the CPUs)
#   --only           parts: fuzz, faults, signals, mutations (also for races); or fuzzers by name: gguf, http, ...
#   --tools BUILD    the folder in build/ whose tools have to live with faults and signals (default dev)
#   --suites         also every test under ASan and UBSan, under TSan, with g++, and for x86-64 (tools/test.sh --all)
#   --save-corpora   when the fuzzers are done, reduce their corpora and store them in tests/fuzz/corpora, to be committed
#   --out FILE       where the figures go (default build/campaign/results.md)
#
# A campaign goes on where the last one ended: corpora, sums and finished tasks are kept in build/campaign. In a fresh
# clone the fuzzers start from the corpora of tests/fuzz/corpora. Once all tasks of a part are finished, the next campaign
# begins another round with other seeds. Inputs that break something are in build/campaign/finds; one that is mended belongs
# into a test.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

minutes=60
executions=5000000
jobs=$(getconf _NPROCESSORS_ONLN)
only=
tools=dev
suites=no
save=no
state=$root/build/campaign
out=$state/results.md
usage() { sed -n 's/^# \{0,1\}//; 3,21p' "${BASH_SOURCE[0]}" >&2; }
while [[ $# -gt 0 ]]; do
  case $1 in
    --minutes) minutes=${2:?} && shift ;;
    --executions) executions=${2:?} && shift ;;
    --jobs) jobs=${2:?} && shift ;;
    --only) only=,${2:?}, && shift ;;
    --tools) tools=${2:?} && shift ;;
    --suites) suites=yes ;;
    --save-corpora) save=yes ;;
    --out) out=${2:?} && shift ;;
    -h | --help) usage && exit 0 ;;
    *) usage && exit 2 ;;
  esac
  shift
done
for number in "$minutes" "$executions" "$jobs"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || fail "'$number': expected a whole number above 0"
done

# Name, goal as a multiple of --executions, extra arguments of libFuzzer. The reader of models is what strangers' files
# reach first. Longer inputs than these find nothing more and take longer.
fuzzers=(
  "gguf 6 -max_len=16384"
  "program 1 -max_len=12288"
  "graph_text 1 -max_len=4096"
  "policy 1 -max_len=1024 -dict=$root/tests/fuzz/policy.dict"
  "machine 1 -max_len=2048"
  "config 1 -max_len=1024"
  "pack_cache 1 -max_len=600"
  "profile 1 -max_len=2048"
  "tokenizer 1 -max_len=256"
  "vocabulary 1 -max_len=512"
  "chat_template 1 -max_len=1024 -dict=$root/tests/fuzz/chat_template.dict"
  "grammar 1 -max_len=384 -dict=$root/tests/fuzz/grammar.dict"
  "http 1 -max_len=2048"
  "requests 1 -max_len=2048"
)
# Folders of the repository that hold valid inputs of a fuzzer.
declare -A repository_seeds=([policy]=passes/policies [machine]=passes/machines)
saved_corpora=$root/tests/fuzz/corpora # NAME.tar.xz: a reduced corpus of each fuzzer
fuzz_slice_seconds=30 # of one process; it then starts anew with what all others have found
max_failures=5        # a fuzzer that has found as many in this campaign rests; one input must not end a night's run

wanted() { [[ -z $only || $only == *",$1,"* ]]; }
wants_fuzzer() { wanted fuzz || wanted "$1"; }
wants_fuzzing() {
  local fuzzer
  for fuzzer in "${fuzzers[@]}"; do if wants_fuzzer "${fuzzer%% *}"; then return; fi; done
  return 1
}

build_fuzzers() {
  local fuzzer name targets=(write_seeds)
  if [[ ! -f $root/build/fuzz/build.ninja ]]; then
    cmake -S "$root" -B "$root/build/fuzz" -G Ninja -DCMAKE_BUILD_TYPE=Dev -DINFER_FUZZ=ON \
      "-DINFER_SANITIZE=address;undefined"
  fi
  for fuzzer in "${fuzzers[@]}"; do
    name=${fuzzer%% *}
    if wants_fuzzer "$name"; then targets+=("fuzz_$name"); fi
  done
  cmake --build "$root/build/fuzz" --parallel "$jobs" --target "${targets[@]}"
}

prepare_corpora() {
  local fuzzer name
  "$root/build/fuzz/bin/write_seeds" "$state/seeds"
  if command -v python3 >/dev/null; then
    (cd "$root/tests/frontends/chat" && python3 make_fuzz_corpus.py "$state/seeds/chat_template")
  fi
  rm -rf "$state/running"
  mkdir -p "$state"/{finds,sums,log,running}
  for fuzzer in "${fuzzers[@]}"; do
    name=${fuzzer%% *}
    mkdir -p "$state/corpus/$name" "$state/seeds/$name"
    if [[ -f $saved_corpora/$name.tar.xz ]]; then tar -xJf "$saved_corpora/$name.tar.xz" -C "$state/corpus/$name"; fi
  done
}

# sum NAME FIELD: a sum of all runs so far.
sum() {
  local value
  value=$(sed -n "s/^$2 //p" "$state/sums/$1" 2>/dev/null || true)
  printf '%s' "${value:-0}"
}

# Adds the run in the log to the sums. What other processes executed meanwhile and have not ended with is not counted yet.
add_run() {
  local name=$1 log=$2 seconds=$3
  awk -v before="$(sum "$name" executions)" -v seconds="$(($(sum "$name" seconds) + seconds))" \
    -v edges="$(sum "$name" edges)" -v newest="$(sum "$name" newest)" '
    /^#[0-9]+/ && / cov: / {
      at = substr($1, 2) + 0
      for (i = 2; i < NF; ++i) if ($i == "cov:" && $(i + 1) + 0 > most) { most = $(i + 1) + 0; found = at }
    }
    /^stat::number_of_executed_units:/ { executed = $2 }
    END {
      if (!executed) executed = at
      if (most > edges) { edges = most; newest = before + found }
      printf "executions %d\nseconds %d\nedges %d\nnewest %d\n", before + executed, seconds, edges, newest
    }' "$log" >"$state/sums/$name.new"
  mv "$state/sums/$name.new" "$state/sums/$name"
}

# seconds_left NAME GOAL: what it takes one process at the rate so far; of a fuzzer that has never run, a day.
seconds_left() {
  local executed seconds
  executed=$(sum "$1" executions)
  seconds=$(sum "$1" seconds)
  if [[ $executed -ge $2 ]]; then
    printf 0
  elif [[ $executed -eq 0 ]]; then
    printf 86400
  else
    printf '%s' $((1 + ($2 - executed) * seconds / executed))
  fi
}

# Of the wanted fuzzers with the fewest processes, the one that has run for the shortest time: a slow one must not keep the
# others from running. Processes that are left over go to those with the most to do. Fails if none is left.
next_fuzzer() {
  local fuzzer name share best='' best_key=0 key left processes
  for fuzzer in "${fuzzers[@]}"; do
    read -r name share _ <<<"$fuzzer"
    if ! wants_fuzzer "$name" || [[ -e $state/running/$name.failed ]]; then continue; fi
    left=$(seconds_left "$name" $((share * executions)))
    if [[ $left -eq 0 ]]; then continue; fi
    processes=$(find "$state/running" -name "$name.*.log" | wc -l)
    key=$(sum "$name" seconds)
    if [[ $processes -gt 0 ]]; then key=$((processes * 10000000 - left)); fi
    if [[ -z $best || $key -lt $best_key ]]; then best=$fuzzer best_key=$key; fi
  done
  [[ -n $best ]] && printf '%s' "$best"
}

# run_fuzzer NAME ARGUMENT...: on its corpus and seeds. A folder among the arguments comes before them.
run_fuzzer() {
  local name=$1
  shift
  local folders=("$state/corpus/$name" "$state/seeds/$name")
  if [[ -n ${repository_seeds[$name]:-} ]]; then folders+=("$root/${repository_seeds[$name]}"); fi
  # 10 s: longer is a hang. 2 GiB: more is a denial of service. Short stacks of allocations take a fifth less time.
  ASAN_OPTIONS=malloc_context_size=4:quarantine_size_mb=32 "$root/build/fuzz/bin/fuzz_$name" \
    -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$state/finds/$name-" "$@" "${folders[@]}"
}

# fuzz LOG SECONDS NAME SHARE ARGUMENT...: one process.
fuzz() {
  local log=$1 seconds=$2 name=$3 start=$SECONDS status=0
  shift 4
  run_fuzzer "$name" -max_total_time="$seconds" -print_final_stats=1 "$@" >"$log" 2>&1 || status=$?
  printf '%s %s\n' "$status" $((SECONDS - start)) >"$log.ended"
}

# Adds what the processes that ended have done.
collect_runs() {
  local ended log name status seconds failures
  for ended in "$state"/running/*.ended; do
    if [[ ! -e $ended ]]; then continue; fi
    log=${ended%.ended}
    name=$(basename "$log")
    name=${name%%.*}
    read -r status seconds <"$ended"
    add_run "$name" "$log" "$seconds"
    if [[ $status -eq 0 && $(sum "$name" edges) -eq 0 ]]; then
      printf 'ERROR: no edge was reached; nothing that it runs is instrumented\n' >>"$log"
      status=1
    fi
    if [[ $status -ne 0 ]]; then
      printf '%s: %s\n' "$name" "$(grep -m 1 'SUMMARY\|ERROR' "$log" || tail -n 1 "$log")"
      cp "$log" "$state/finds/$name.log"
      failures=$(($(cat "$state/running/$name.failures" 2>/dev/null || printf 0) + 1))
      printf '%s' "$failures" >"$state/running/$name.failures"
      if [[ $failures -ge $max_failures ]]; then touch "$state/running/$name.failed"; fi
    fi
    mv "$log" "$state/log/$name.log"
    rm "$ended"
  done
}

run_fuzzers() {
  local end=$((SECONDS + minutes * 60)) running=0 number=0 fuzzer seconds
  while [[ $SECONDS -lt $end ]]; do
    collect_runs
    if [[ $running -lt $jobs ]] && fuzzer=$(next_fuzzer); then
      number=$((number + 1))
      seconds=$((end - SECONDS < fuzz_slice_seconds ? end - SECONDS : fuzz_slice_seconds))
      touch "$state/running/${fuzzer%% *}.$number.log"
      # shellcheck disable=SC2086 # a list of arguments
      fuzz "$state/running/${fuzzer%% *}.$number.log" $((seconds > 0 ? seconds : 1)) $fuzzer &
      running=$((running + 1))
      continue
    fi
    if [[ $running -eq 0 ]]; then break; fi
    wait -n
    running=$((running - 1))
  done
  wait
  collect_runs
  ! compgen -G "$state/running/*.failures" >/dev/null
}

# Reduces the corpus of each wanted fuzzer to files that together reach as much, and stores them. The same files give the same
# archive.
save_corpora() {
  local fuzzer name arguments merged=$state/merged
  mkdir -p "$saved_corpora"
  for fuzzer in "${fuzzers[@]}"; do
    read -r name _ arguments <<<"$fuzzer"
    if ! wants_fuzzer "$name"; then continue; fi
    rm -rf "$merged"
    mkdir -p "$merged"
    # shellcheck disable=SC2086 # a list of arguments
    run_fuzzer "$name" -merge=1 $arguments "$merged"
    (cd "$merged" && LC_ALL=C ls) |
      tar -C "$merged" -T - -c --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 |
      xz -9e >"$merged.tar.xz"
    mv "$merged.tar.xz" "$saved_corpora/$name.tar.xz"
  done
}

# The other parts are lists of tasks, a line for each, that do not depend on each other.

faults_shards=16
# Which calls fail: with `every`, each call in one of the tasks.
faults_tasks() {
  local test shard
  for test in Compiling Running AChat Tokenizing Inspecting Serving; do
    for ((shard = 1; shard <= faults_shards; ++shard)); do printf 'AllocationsOf%s %d\n' $test "$shard"; done
  done
  for test in AllocationsWhileFlagsAreParsed Writes Reads OpeningFiles MappingMemory ShortReadsAndWritesChangeNothing \
    AThreadThatDoesNotStart InputAndOutputOfAChat ServeIo; do
    printf '%s every\n' $test
  done
  for ((shard = 1; shard <= faults_shards; ++shard)); do printf 'Serve %d\n' $shard; done
}
run_faults_task() {
  local test=$1 shard=$2 binary=$root/build/$tools/bin/tools_binary_test
  case $test in
    ServeIo) INFER_TEST_SERVE_FAULTS=100 "$binary" --gtest_filter='*ServeIo.*' ;;
    Serve) INFER_TEST_FAULT_FIRST=$shard INFER_TEST_FAULT_STRIDE=$faults_shards "$binary" --gtest_filter='ServeFaults.*' ;;
    *)
      if [[ $shard == every ]]; then
        INFER_TEST_FAULT_STRIDE=1 "$binary" --gtest_filter="Faults.$test"
      else
        INFER_TEST_FAULT_FIRST=$shard INFER_TEST_FAULT_STRIDE=$faults_shards "$binary" --gtest_filter="Faults.$test"
      fi
      ;;
  esac
}

# 1,500 signals in all.
signals_each=${INFER_TEST_CAMPAIGN_SIGNALS:-34}
signals_tasks() {
  local round=$1 storm i
  for storm in run ids chat drafts verify compile policy synth perplexity; do
    for i in 1 2 3 4 5; do printf '%s %d\n' $storm $((round * 5 + i)); done
  done
}
run_signals_task() {
  INFER_TEST_SEED=$2 INFER_TEST_SIGNALS=$signals_each "$root/build/$tools/bin/tools_binary_test" \
    --gtest_filter="*/Signals.LoseNoOutput/$1" && printf 'sent %d\n' "$signals_each"
}

mutations=${INFER_TEST_CAMPAIGN_MUTATIONS:-10000}
mutations_tasks() {
  local i tasks=20
  for ((i = 0; i < tasks; ++i)); do
    printf '%d %d\n' $((mutations / tasks)) $((1 + ($1 - 1) * mutations + i * (mutations / tasks)))
  done
}
run_mutations_task() { "$root/build/asan/bin/mutate_programs" "$1" "$2"; }

# A tenth of them again under ThreadSanitizer, which takes ten times as long for each.
races_tasks() {
  local i tasks=10 count=$((mutations / 100 > 0 ? mutations / 100 : 1))
  for ((i = 0; i < tasks; ++i)); do printf '%d %d\n' $count $((1 + ($1 - 1) * mutations + i * (mutations / tasks))); done
}
run_races_task() {
  set_tsan_options
  "$root/build/tsan/bin/mutate_programs" "$1" "$2"
}

# run_task PART TASK...: notes that the task is finished, and its figures.
run_task() {
  local part=$1 name="$*" status=0
  local log=$state/log/${name// /-}.log
  shift
  "run_${part}_task" "$@" >"$log" 2>&1 || status=$?
  if [[ $status -ne 0 ]]; then
    printf '%s %s: status %s\n' "$part" "$*" "$status"
    grep -v '^\[\|^seed ' "$log" | head -n 20
    cp "$log" "$state/finds/"
    return 1
  fi
  grep -o 'tried [0-9]*\|sent [0-9]*\|^[0-9]* refused, [0-9]* accepted' "$log" >>"$state/$part.figures" || true
  printf '%s\n' "$*" >>"$state/$part.done"
}

# run_part PART: the tasks of its round that no campaign has finished yet.
run_part() {
  local part=$1 end=$((SECONDS + minutes * 60)) round task running=0 failed=0 left=0
  mkdir -p "$state"/{log,finds}
  round=$(cat "$state/$part.round" 2>/dev/null || printf 1)
  touch "$state/$part.done"
  while IFS= read -r task; do
    if grep -qxF -- "$task" "$state/$part.done"; then continue; fi
    if [[ $running -ge $jobs ]]; then
      wait -n || failed=$((failed + 1))
      running=$((running - 1))
    fi
    if [[ $SECONDS -ge $end ]]; then
      left=$((left + 1))
      continue
    fi
    # shellcheck disable=SC2086 # a task is a list of words
    run_task "$part" $task </dev/null &
    running=$((running + 1))
  done < <("${part}_tasks" "$round")
  while [[ $running -gt 0 ]]; do
    wait -n || failed=$((failed + 1))
    running=$((running - 1))
  done
  if [[ $left -gt 0 ]]; then
    printf '%s: %d tasks left for the next campaign\n' "$part" "$left"
  elif [[ $failed -eq 0 ]]; then
    printf '%s' $((round + 1)) >"$state/$part.round"
    : >"$state/$part.done"
  fi
  [[ $failed -eq 0 ]]
}

build_tools() {
  if [[ $tools == gcc ]]; then
    [[ -f $root/build/gcc/build.ninja ]] || fail "build/gcc is missing; tools/test.sh --all makes it"
  else
    configure "$tools"
  fi
  build "$tools" --parallel "$jobs" --target infer fault_injector tools_binary_test
}
# build_mutations PRESET
build_mutations() { configure "$1" && build "$1" --parallel "$jobs" --target mutate_programs; }

rate() { if [[ $2 -gt 0 ]]; then printf '%s' $(($1 / $2)); else printf '-'; fi; }

# figure PART WORD: the sum of the numbers behind, or before, that word.
figure() {
  awk -v word="$2" '{ gsub(",", "") } { for (i = 1; i <= NF; ++i) if ($i == word) sum += $1 == word ? $(i + 1) : $(i - 1) }
    END { print sum + 0 }' "$state/$1.figures"
}

write_results() {
  local fuzzer name executed newest goal unsaturated='' short=''
  mkdir -p "$(dirname "$out")"
  {
    printf '# Campaign\n\n`tools/campaign.sh`, revision %s, %s processes. Sums over all runs of the campaign.\n' \
      "$(git -C "$root" rev-parse --short HEAD 2>/dev/null || cat "$root/revision" 2>/dev/null || printf unknown)" "$jobs"
    if compgen -G "$state/sums/*" >/dev/null; then
      printf '\n| fuzzer | executions | per second and process | edges | last new edge at | finds |\n'
      printf '| --- | ---: | ---: | ---: | ---: | ---: |\n'
    fi
    for fuzzer in "${fuzzers[@]}"; do
      name=${fuzzer%% *}
      executed=$(sum "$name" executions)
      if [[ $executed -eq 0 ]]; then continue; fi
      newest=$(sum "$name" newest)
      printf '| %s | %s | %s | %s | %s %% | %s |\n' "$name" "$executed" \
        "$(rate "$executed" "$(sum "$name" seconds)")" "$(sum "$name" edges)" $((100 * newest / executed)) \
        "$(find "$state/finds" -name "$name-*" ! -name '*.log' | wc -l | tr -d ' ')"
      read -r _ goal _ <<<"$fuzzer"
      if [[ $executed -lt $((goal * executions)) ]]; then short+=" $name"; fi
      if [[ $((4 * newest)) -gt $((3 * executed)) ]]; then unsaturated+=" $name"; fi
    done
    if [[ -n $short ]]; then printf '\nNot yet at their goal of executions:%s.\n' "$short"; fi
    if [[ -n $unsaturated ]]; then printf '\nFound a new edge in the last quarter of their executions:%s.\n' "$unsaturated"; fi
    if [[ -s $state/faults.figures ]]; then
      printf '\nFailing calls: %s, each ended in an error line and the code of the table, or in the output of a run without faults.\n' \
        "$(figure faults tried)"
    fi
    if [[ -s $state/signals.figures ]]; then printf '\nSignals: %s.\n' "$(figure signals sent)"; fi
    if [[ -s $state/mutations.figures ]]; then
      printf '\nPrograms changed at random: %s refused, %s accepted and run with the right numbers.\n' \
        "$(figure mutations refused)" "$(figure mutations accepted)"
    fi
    if [[ -s $state/races.figures ]]; then
      printf '\nThe same under ThreadSanitizer: %s refused, %s accepted and run; none races.\n' \
        "$(figure races refused)" "$(figure races accepted)"
    fi
  } >"$out"
}

step_tail_lines=60
on_failure() { write_results; }

# try_step LABEL NAME COMMAND...: a step whose failure ends the campaign only after the others. Sets `succeeded`.
failed_steps=()
try_step() {
  succeeded=yes
  (step "$@") || succeeded=no
  step_number=$((step_number + 1))
  if [[ $succeeded == no ]]; then failed_steps+=("'$1'"); fi
}

mkdir -p "$state"
choose_compiler
if wants_fuzzing; then step_total=$((step_total + 3)); fi
if wants_fuzzing && [[ $save == yes ]]; then step_total=$((step_total + 1)); fi
if wanted faults || wanted signals; then step_total=$((step_total + 1)); fi
for part in faults signals; do if wanted $part; then step_total=$((step_total + 1)); fi; done
if wanted mutations; then step_total=$((step_total + 4)); fi
if [[ $suites == yes ]]; then step_total=$((step_total + 1)); fi

if wanted faults || wanted signals; then
  try_step "Building the tools" campaign-build build_tools
  if [[ $succeeded == yes ]]; then
    if wanted faults; then try_step "Failing calls of the system" campaign-faults run_part faults; fi
    if wanted signals; then try_step "Sending signals" campaign-signals run_part signals; fi
  fi
fi
if wanted mutations; then
  try_step "Building with AddressSanitizer" campaign-asan build_mutations asan
  if [[ $succeeded == yes ]]; then try_step "Changing stored Programs" campaign-mutations run_part mutations; fi
  try_step "Building with ThreadSanitizer" campaign-tsan build_mutations tsan
  if [[ $succeeded == yes ]]; then try_step "Changing stored Programs, for races" campaign-races run_part races; fi
fi
if wants_fuzzing; then
  try_step "Building the fuzzers" build-fuzz build_fuzzers
  if [[ $succeeded == yes ]]; then try_step "Writing seeds" campaign-seeds prepare_corpora; fi
  if [[ $succeeded == yes ]]; then try_step "Fuzzing for at most $minutes minutes" campaign-fuzz run_fuzzers; fi
  if [[ $succeeded == yes && $save == yes ]]; then try_step "Saving the corpora" campaign-save save_corpora; fi
fi
if [[ $suites == yes ]]; then try_step "Running every suite" campaign-suites "$root/tools/test.sh" --all; fi
write_results
cat "$out"
if [[ ${#failed_steps[@]} -gt 0 ]]; then
  fail "failed: ${failed_steps[*]}; what was found is in ${state#"$root"/}/finds, the output in build/log"
fi
