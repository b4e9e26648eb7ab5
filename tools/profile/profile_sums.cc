// SPDX-License-Identifier: Apache-2.0
#include "tools/profile/profile_sums.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "tools/report/layer_groups.h"

namespace infer {
namespace {

void Add(const NodeTiming& timing, ProfileLine* line) {
  NodeTiming& sum = line->timing;
  sum.min_ns = line->nodes == 0 ? timing.min_ns : std::min(sum.min_ns, timing.min_ns);
  sum.n += timing.n;
  sum.p50_ns += timing.p50_ns;  // becomes a mean once all are added
  sum.p95_ns = std::max(sum.p95_ns, timing.p95_ns);
  sum.total_ns += timing.total_ns;
  sum.wait_ns += timing.wait_ns;
  sum.busy_ns += timing.busy_ns;
  sum.busy_max_ns += timing.busy_max_ns;
  sum.estimate_ns += timing.estimate_ns * static_cast<double>(timing.n);
  ++line->nodes;
}

template <class NodeName>
std::vector<ProfileLine> Lines(const ProfileRegime& regime, const CallGroup& group,
                               NodeName node_name, bool with_kernel) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, ProfileLine> lines;
  for (size_t i = 0; i < regime.nodes.size(); ++i) {
    const ProfileNode& node = regime.nodes[i];
    ProfileLine made{
        node_name(node), node.op, node.target, with_kernel ? node.kernel : std::string(), 0, {}};
    auto [it, added] =
        lines.try_emplace({made.node, made.op, made.target, made.kernel}, std::move(made));
    Add(group.timings[i], &it->second);
  }
  std::vector<ProfileLine> sorted;
  for (auto& [key, line] : lines) {
    line.timing.p50_ns /= line.nodes;
    if (line.timing.n > 0) line.timing.estimate_ns /= static_cast<double>(line.timing.n);
    sorted.push_back(std::move(line));
  }
  // Ties are sorted by name, so that a profile always prints the same way.
  std::ranges::sort(sorted, [](const ProfileLine& a, const ProfileLine& b) {
    return std::tie(b.timing.total_ns, a.node, a.op, a.target) <
           std::tie(a.timing.total_ns, b.node, b.op, b.target);
  });
  return sorted;
}

}  // namespace

std::vector<ProfileLine> LinesByNode(const ProfileRegime& regime, const CallGroup& group) {
  return Lines(
      regime, group, [](const ProfileNode& node) { return NameInAnyLayer(node.name); }, true);
}

std::vector<ProfileLine> LinesByOp(const ProfileRegime& regime, const CallGroup& group) {
  return Lines(regime, group, [](const ProfileNode&) { return std::string(); }, false);
}

CallSums SumsOf(const CallGroup& group) {
  CallSums sums;
  sums.calls = group.calls;
  sums.wall_ns = group.wall_ns;
  for (const NodeTiming& timing : group.timings) {
    sums.steps_ns += timing.total_ns;
    sums.wait_ns += timing.wait_ns;
    sums.busy_ns += timing.busy_ns;
  }
  sums.estimate_ns = group.estimate_ns * static_cast<double>(group.calls);
  return sums;
}

CallSums SumsOf(const ProfileRegime& regime) {
  CallSums sums;
  bool all_estimated = true;
  for (const CallGroup& group : regime.groups) {
    const CallSums one = SumsOf(group);
    sums.calls += one.calls;
    sums.wall_ns += one.wall_ns;
    sums.steps_ns += one.steps_ns;
    sums.wait_ns += one.wait_ns;
    sums.busy_ns += one.busy_ns;
    sums.estimate_ns += one.estimate_ns;
    all_estimated &= one.estimate_ns > 0;
  }
  if (!all_estimated) sums.estimate_ns = 0;  // a sum over some of them is useless
  return sums;
}

OneCall OneCallOf(const CallGroup& group) {
  const double calls = static_cast<double>(group.calls);
  return {group.estimate_ns, calls > 0 ? static_cast<double>(group.wall_ns) / calls : 0,
          static_cast<double>(group.wall_p50_ns)};
}

}  // namespace infer
