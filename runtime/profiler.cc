// SPDX-License-Identifier: Apache-2.0
#include "runtime/profiler.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "ir/graph/node_name.h"
#include "ir/graph/plan.h"
#include "runtime/kernel_registry.h"

namespace infer {
namespace {

// Returns the value with a fraction `quantile` of the others below it, by nearest rank.
template <class T>
int64_t Percentile(const std::vector<T>& sorted, double quantile) {
  if (sorted.empty()) return 0;
  const double rank = quantile * static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<size_t>(rank + 0.5)];
}

}  // namespace

Profiler::Profiler(const Program& program, int threads) {
  profile_.model = program.model;
  profile_.program = ProgramKey(program);
  profile_.policy = program.policy.name;
  profile_.threads = threads;
  for (const Regime& regime : program.regimes) {
    ProfileRegime& named = profile_.regimes.emplace_back();
    named.min_tokens = regime.min_tokens;
    named.max_tokens = regime.max_tokens;
    RegimeCalls& calls = regimes_.emplace_back();
    const std::vector<uint64_t> ids = NodeIds(regime.graph);
    const std::vector<Node*> nodes = regime.graph.nodes();
    int32_t number = 0;
    for (const Segment& segment : regime.graph.plan()->segments) {
      for (const Step& step : segment.steps) {
        const int32_t this_step = number++;
        if (step.copy) {
          const int32_t value = step.copy->value.node;
          named.nodes.push_back({CopyId(ids[value], *step.copy), NodeName(*nodes[value]), "copy",
                                 std::string(Name(segment.device)), DirectionText(*step.copy),
                                 std::string(Name(step.mode))});
          calls.steps.push_back(this_step);
          continue;
        }
        const Node& node = *nodes[step.node];
        if (node.placement()->kernel == kViewKernel) continue;
        named.nodes.push_back({ids[step.node], NodeName(node), std::string(node.op().name),
                               std::string(Name(node.placement()->target)),
                               node.placement()->kernel, std::string(Name(step.mode))});
        calls.steps.push_back(this_step);
      }
    }
    calls.groups.resize(std::bit_width(static_cast<uint64_t>(regime.max_tokens)));
  }
}

void Profiler::AfterCall(const RecordedCall& call) {
  RegimeCalls& regime = regimes_[call.regime];
  Group& group = regime.groups[std::bit_width(static_cast<uint64_t>(call.symbols.t)) - 1];
  CallGroup& sums = group.sums;
  if (sums.calls == 0) {
    sums.min_tokens = std::numeric_limits<int64_t>::max();
    sums.timings.resize(regime.steps.size());
    group.kept_ns.resize(regime.steps.size() * kKeptCalls);
    group.kept_wall_ns.resize(kKeptCalls);
  }
  sums.min_tokens = std::min(sums.min_tokens, call.symbols.t);
  sums.max_tokens = std::max(sums.max_tokens, call.symbols.t);
  sums.tokens += call.symbols.t;
  sums.logit_rows += call.symbols.r;
  sums.positions += call.symbols.s;
  sums.sequences += call.symbols.sequences;
  sums.wall_ns += call.end_ns - call.start_ns;
  if (sums.calls == 0 || call.end_ns - call.start_ns < sums.timeline.wall_ns) {
    FillTimeline(call, regime.steps, &sums.timeline);
  }
  const int64_t kept = sums.calls++ % kKeptCalls;
  group.kept_wall_ns[static_cast<size_t>(kept)] = call.end_ns - call.start_ns;
  for (size_t i = 0; i < regime.steps.size(); ++i) {
    AddStep(call, regime.steps[i], &sums.timings[i], &group.kept_ns[i * kKeptCalls + kept]);
  }
  AddExperts(*call.events, regime.steps, &sums);
}

void Profiler::AddExperts(const StepEvents& events, std::span<const int32_t> steps,
                          CallGroup* sums) {
  size_t next = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::span<const int32_t> rows = events.expert_rows(steps[i]);
    if (rows.empty()) continue;
    if (next == sums->experts.size()) {
      sums->experts.push_back({static_cast<int64_t>(i), std::vector<int64_t>(rows.size())});
    }
    std::vector<int64_t>& total = sums->experts[next++].rows;
    for (size_t expert = 0; expert < rows.size(); ++expert) total[expert] += rows[expert];
  }
}

void Profiler::AddStep(const RecordedCall& call, int32_t step, NodeTiming* timing,
                       uint32_t* kept_ns) const {
  const StepEvent& first = call.events->thread(0)[step];
  const int64_t ns = first.wait_end_ns - first.start_ns;
  int64_t busy_max_ns = 0;
  for (int i = 0; i < call.events->threads(); ++i) {
    const StepEvent& event = call.events->thread(i)[step];
    timing->wait_ns += event.wait_ns();
    timing->busy_ns += event.busy_ns();
    busy_max_ns = std::max(busy_max_ns, event.busy_ns());
  }
  timing->busy_max_ns += busy_max_ns;
  timing->min_ns = timing->n == 0 ? ns : std::min(timing->min_ns, ns);
  timing->total_ns += ns;
  ++timing->n;
  *kept_ns = static_cast<uint32_t>(
      std::clamp<int64_t>(ns, 0, std::numeric_limits<uint32_t>::max()));  // 4.3 s
}

Profile Profiler::Finish() const {
  Profile profile = profile_;
  std::vector<uint32_t> sorted;
  for (size_t r = 0; r < regimes_.size(); ++r) {
    for (const Group& group : regimes_[r].groups) {
      if (group.sums.calls == 0) continue;
      CallGroup& made = profile.regimes[r].groups.emplace_back(group.sums);
      std::vector<int64_t> walls = group.kept_wall_ns;
      walls.resize(static_cast<size_t>(std::min(made.calls, kKeptCalls)));
      std::ranges::sort(walls);
      made.wall_p50_ns = Percentile(walls, 0.5);
      for (size_t i = 0; i < made.timings.size(); ++i) {
        const auto begin = group.kept_ns.begin() + static_cast<int64_t>(i) * kKeptCalls;
        sorted.assign(begin, begin + std::min(made.calls, kKeptCalls));
        std::ranges::sort(sorted);
        made.timings[i].p50_ns = Percentile(sorted, 0.5);
        made.timings[i].p95_ns = Percentile(sorted, 0.95);
      }
    }
  }
  return profile;
}

}  // namespace infer
