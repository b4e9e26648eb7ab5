#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Serves the bundled model to a mixed load and checks that nothing fails, that no sanitizer reports and that memory stays flat.
#
#   tools/bench/serve/soak.sh build/asan/bin 1800 FOLDER
#
# Arguments: the folder of the tools, seconds, and a new folder for logs, the memory curve and the generators' records. In the
# environment: SOAK_PORT (8765), SOAK_THREADS (1), SOAK_WARM_UP (minutes, 5), SOAK_GROWTH (MiB allowed after it, 16).
#
# Ten users send completions with shared prefixes, three chats that keep to a schema, three chats with tools and two choices
# each. One in ten to seven clients leaves early, one request in twenty is malformed. The cache holds little more than one
# context, so that requests are preempted all the time.
set -euo pipefail

[[ $# -eq 3 ]] || { sed -n '3,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
bin=$(cd "$1" && pwd)
seconds=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir "$3"
cd "$3"
port=${SOAK_PORT:-8765}
url=http://127.0.0.1:$port

# AddressSanitizer keeps 256 MiB of freed memory by default, and filling them takes longer than the warm-up.
export ASAN_OPTIONS=log_path=report:halt_on_error=0:quarantine_size_mb=32
export TSAN_OPTIONS=log_path=report:halt_on_error=0
export UBSAN_OPTIONS=log_path=report:print_stacktrace=1
"$bin/infer-serve" --port "$port" -t "${SOAK_THREADS:-1}" -c 1024 --max-running 16 --cache-tokens 1280 \
  --access-log access.log >url.txt 2>server.log &
server=$!
trap 'kill -KILL $server 2>/dev/null || true' EXIT
while [[ ! -s url.txt ]]; do
  kill -0 $server 2>/dev/null || { cat server.log >&2; exit 1; }
  sleep 0.2
done
"$here/memory_curve.py" sample $server curve.csv 2 &
sampler=$!

schema='{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string", "maxLength": 30}},
         "required": ["a", "b"], "additionalProperties": false}'
tool='{"type": "function", "function": {"name": "get_weather", "parameters":
       {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}'

load() { # NAME argument...
  local name=$1
  shift
  "$bin/infer-bench" serve --url "$url" --duration "$seconds" --warmup 0 --timeout 600 --bad-share 0.05 --strict -o json \
    "$@" >"$name.json" 2>"$name.log"
}
load completions --users 10 -p lognormal:50,1,400 -n lognormal:100,0.8,500 --prefix-tokens 100 --prefix-share 0.5 \
  --prefixes 8 --cancel-share 0.15 &
loads=($!)
load schema --seed 2 --users 3 --endpoint chat --no-force-length -p uniform:10,200 -n 200 --cancel-share 0.1 --extra \
  "{\"temperature\": 0.8, \"logprobs\": true, \"top_logprobs\": 3,
    \"response_format\": {\"type\": \"json_schema\", \"json_schema\": {\"name\": \"s\", \"schema\": $schema}}}" &
loads+=($!)
load tools --seed 3 --users 3 --endpoint chat --no-force-length -p uniform:10,200 -n 120 --cancel-share 0.1 \
  --extra "{\"temperature\": 0.8, \"n\": 2, \"tools\": [$tool]}" &
loads+=($!)

failed=0
for pid in "${loads[@]}"; do wait "$pid" || failed=1; done
curl -s "$url/metrics" >metrics.txt || failed=1
kill -TERM $server
wait $server || failed=1
trap - EXIT
wait $sampler

grep -hE '"(requests|failed|failures|cancelled|malformed.*)"' ./*.json
grep -E '^(vllm:num_preemptions|infer_evicted|infer_cancelled|vllm:request_success|infer_kv_blocks)' metrics.txt
if compgen -G 'report.*' >/dev/null; then
  echo "reports of a sanitizer:" report.*
  failed=1
fi
"$here/memory_curve.py" check curve.csv "${SOAK_WARM_UP:-5}" "${SOAK_GROWTH:-16}" || failed=1
[[ $failed -eq 0 ]] && echo "no failure" || exit 1
