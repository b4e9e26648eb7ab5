#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What dividing a model over ranks costs on this machine, beside what infer-compile --dry-run predicts.
#
#   tools/measure_ranks.sh speed [BIN]     2 ranks against 1 process with as many threads as both, in turns
#   tools/measure_ranks.sh network [BIN]   2 ranks with the delay and bandwidth of networks (INFER_NETWORK)
#   tools/measure_ranks.sh link [BIN]      2 ranks in network namespaces, joined by a link that tc limits (root)
#
# BIN has the tools of a release build (build/release/bin). MODEL is the model (default: made, 0.6B shape, Q8_0),
# THREADS the threads of a rank (default 1), TOKENS those of a prompt, which is one call (default 128), MACHINE the
# machine's description for that many threads (default: calibrated, about a minute; `link` calibrates each network),
# NETWORKS the networks, ROUNDS the turns of speed, SKIP passes to leave out. Needs a quiet machine.
set -eu
what=${1:-}
cd "$(dirname "$0")/.."
bin=$(realpath "${2:-build/release/bin}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
threads=${THREADS:-1}
tokens=${TOKENS:-128}
context=$((tokens < 512 ? 512 : 2 * tokens))
skip=(${SKIP:+--skip "$SKIP"})
mpi=(mpirun --oversubscribe -np 2)
[ "$threads" = 1 ] || mpi+=(--bind-to none)
[ "$(id -u)" != 0 ] || mpi+=(--allow-run-as-root)

model=${MODEL:-$work/model.gguf}
[ -f "$model" ] || "$bin/infer-synth" --shape 0.6b --type q8_0 -q -o "$model"

# The median time of a call in milliseconds, "prompt MS" and "decode MS", of a JSON report.
medians() {
  python3 -c '
import json, statistics, sys
for r in json.load(open(sys.argv[1])):
    ms = statistics.median(r["samples_ns"]) / 1e6
    print("decode", ms / r["n_gen"]) if r["n_gen"] else print("prompt", ms)' "$1"
}

bench() { "$@" -m "$model" "${skip[@]}" -ub "$tokens" -p "$tokens" -n 16 -r 3 -o json -q; }

speed() {
  for ((i = 0; i < ${ROUNDS:-5}; ++i)); do
    bench "$bin/infer-bench" -t $((2 * threads)) > "$work/report"
    medians "$work/report" | sed 's/^/one /'
    bench "${mpi[@]}" "$bin/infer-bench" -t "$threads" --ranks 2 > "$work/report"
    medians "$work/report" | sed 's/^/two /'
  done > "$work/times"
  python3 - "$work/times" <<'PY'
import statistics, sys
times = {}
for line in open(sys.argv[1]):
    which, kind, ms = line.split()
    times.setdefault((which, kind), []).append(float(ms))
for kind in ("decode", "prompt"):
    one, two = times["one", kind], times["two", kind]
    ratios = sorted(a / b for a, b in zip(one, two))
    print(f"{kind}: 1 process {statistics.median(one):.2f} ms, 2 ranks "
          f"{statistics.median(two):.2f} ms, speed ratio {statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})")
PY
}

# The description of this machine for one of the two ranks. Both measure at once, because they share its memory.
machine() {
  if [ -n "${MACHINE:-}" ]; then
    cat "$MACHINE"
  else
    "${mpi[@]}" "$bin/infer-bench" --calibrate -t "$threads" --type q8_0 --rounds 1 -q -o "$work/machine" > /dev/null
    cat "$work/machine"
  fi
}

# compare NAME MACHINE REPORT: a line for each kind of call.
compare() {
  "$bin/infer-compile" -m "$model" --ranks 2 -t "$threads" -c "$context" -ub "$tokens" "${skip[@]}" --machine "$2" --dry-run -q > "$work/predicted"
  medians "$3" | python3 -c '
import re, sys
text = open(sys.argv[2]).read()
found = re.findall(r"^ +(\d+) tokens? .*? ([\d.]+) of ([\d.]+) ms; one process", text, re.M)
predicted = {("decode" if tokens == "1" else "prompt"): row for tokens, *row in found}
for line in sys.stdin:
    kind, ms = line.split()
    messages, total = map(float, predicted[kind])
    print(f"{sys.argv[1]:14} {kind}: measured {float(ms):7.2f} ms, predicted {total:7.2f} ms ({messages:.2f} in messages), "
          f"ratio {float(ms) / total:.2f}")' "$1" "$work/predicted"
}

network() {
  for net in ${NETWORKS:-0us 100us 100us,10gbit 100us,1gbit}; do
    # Without a network the ranks read each other's memory; with one they send messages, which have to be measured.
    local here=0.001us
    [ "$net" != 0us ] || here=0us
    [ -f "$work/here.$here" ] || INFER_NETWORK=$here machine > "$work/here.$here"
    # What exchanges take here, and the injected time on top of it.
    python3 - "$net" "$work/here.$here" > "$work/cluster" <<'PY'
import re, sys
net, text = sys.argv[1], open(sys.argv[2]).read()
delay_ns = sum(float(v) * {"us": 1e3, "ms": 1e6}[unit] for v, unit in re.findall(r"([\d.]+)(us|ms)", net))
ns_per_byte = sum(8 / float(v) for v in re.findall(r"([\d.]+)gbit", net))
def slower(block):
    if "target: RANKS" not in block: return block
    block = re.sub(r"(step_ns|fixed_ns): ([\d.e+]+)", lambda m: f"{m[1]}: {float(m[2]) + delay_ns:.6g}", block)
    return re.sub(r"(gb_s): ([\d.e+]+)", lambda m: f"{m[1]}: {1 / (1 / float(m[2]) + ns_per_byte):.6g}", block)
print("".join(slower(block) for block in re.split(r"^(?=target|kernel)", text, flags=re.M)))
PY
    INFER_NETWORK=$net bench "${mpi[@]}" "$bin/infer-bench" -t "$threads" --ranks 2 --machine "$work/cluster" > "$work/report"
    compare "$net" "$work/cluster" "$work/report"
  done
}

# Two hosts on one machine: each rank has a network namespace and a host name of its own.
link() {
  local agent=$work/agent
  cat > "$agent" <<'SH'
#!/bin/bash
# Instead of ssh: HOST COMMAND... runs the command in the second namespace.
shift
exec ip netns exec infer_b unshare --uts bash -c 'hostname infer-b; exec bash -c "$0"' "$*"
SH
  chmod +x "$agent"
  trap 'ip netns del infer_a; ip netns del infer_b; rm -rf "$work"' EXIT
  ip netns add infer_a && ip netns add infer_b
  ip link add va netns infer_a type veth peer name vb netns infer_b
  ip -n infer_a addr add 10.77.0.1/24 dev va && ip -n infer_b addr add 10.77.0.2/24 dev vb
  for n in a b; do ip -n infer_$n link set lo up && ip -n infer_$n link set v$n up; done
  # To mpirun these are two hosts: it would bind the only rank of each to the first CPU, which is the same one.
  divided() {
    ip netns exec infer_a unshare --uts bash -c 'hostname infer-a; exec "$@"' mpirun "${mpi[@]}" --bind-to none -host 10.77.0.1:1,10.77.0.2:1 \
      --mca plm_rsh_agent "$agent" --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 \
      --mca oob_tcp_if_include 10.77.0.0/24 "$@"
  }
  machine > "$work/alone"
  for rate in ${NETWORKS:-10gbit 1gbit}; do
    for n in a b; do tc -n infer_$n qdisc replace dev v$n root tbf rate "$rate" burst 256kb latency 100ms; done
    divided "$bin/infer-bench" --calibrate -t "$threads" --type q8_0 --rounds 1 -q -o "$work/linked" > /dev/null
    # Its hosts are one machine: kernels as both measured them at once, messages as over the link.
    python3 - "$work/alone" "$work/linked" > "$work/cluster" <<'PY'
import re, sys
blocks = [re.split(r"^(?=target|kernel)", open(path).read(), flags=re.M) for path in sys.argv[1:]]
kept = [[b for b in blocks[i] if ("target: RANKS" in b) == (i == 1)] for i in (0, 1)]
print("".join(kept[0] + kept[1]))
PY
    bench divided "$bin/infer-bench" -t "$threads" --ranks 2 --machine "$work/cluster" > "$work/report"
    compare "$rate" "$work/cluster" "$work/report"
  done
}

case $what in
  speed | network | link) "$what" ;;
  *) sed -n '3,15s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
