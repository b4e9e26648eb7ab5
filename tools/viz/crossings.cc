// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/crossings.h"

#include <set>
#include <utility>

#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "tools/report/quantity_text.h"

namespace infer {
namespace {

using Pair = std::pair<Device, Device>;

class Collector {
 public:
  explicit Collector(const RegimeView& regime) : regime_(regime), kinds_(regime) {}

  std::vector<Crossing> Collect() {
    AddSegments(*regime_.regime->graph.plan());
    AddShared();
    std::vector<Crossing> crossings;
    for (auto& [pair, crossing] : by_pair_) {
      crossing.from = pair.first;
      crossing.to = pair.second;
      crossings.push_back(crossing);
    }
    return crossings;
  }

 private:
  std::pair<double, double> BytesOf(const ValueType& type) const {
    const SymbolicCount bytes = CountBytes(type);
    return {bytes.At(regime_.symbols().Lowest()), bytes.At(regime_.symbols().Highest())};
  }

  void AddSegments(const Plan& plan) {
    const std::vector<Node*> nodes = regime_.regime->graph.nodes();
    const Segment* former = nullptr;
    for (const Segment& segment : plan.segments) {
      if (former != nullptr && former->device != segment.device)
        ++by_pair_[{former->device, segment.device}].boundaries;
      former = &segment;
      for (const Step& step : segment.steps) {
        if (!step.copy) continue;
        const ValueRef& value = step.copy->value;
        auto [least, most] = BytesOf(nodes[value.node]->result(value.result).type);
        Crossing& crossing = by_pair_[{step.copy->from, step.copy->to}];
        ++crossing.copies;
        crossing.copied_bytes_min += least;
        crossing.copied_bytes_max += most;
      }
    }
  }

  // Counts a value once for each device that reads it.
  void AddShared() {
    std::set<std::pair<std::pair<const Node*, int32_t>, Device>> seen;
    for (const NodeView& view : regime_.nodes) {
      const Device to = DeviceOf(view.placement().target);
      for (const Value& input : view.node->inputs()) {
        if (!input.node->placement() || !input.type().is_tensor()) continue;
        if (kinds_.Of(*input.node, *view.node) != EdgeKind::kShared) continue;
        if (!seen.insert({{input.node, input.index}, to}).second) continue;
        auto [least, most] = BytesOf(input.type());
        Crossing& crossing = by_pair_[{DeviceOf(input.node->placement()->target), to}];
        ++crossing.shared;
        crossing.shared_bytes_min += least;
        crossing.shared_bytes_max += most;
      }
    }
  }

  const RegimeView& regime_;
  EdgeKinds kinds_;
  std::map<Pair, Crossing> by_pair_;
};

}  // namespace

std::vector<Crossing> CrossingsOf(const RegimeView& regime) {
  if (!regime.regime->graph.plan()) return {};
  return Collector(regime).Collect();
}

std::string CrossingText(const Crossing& crossing) {
  std::string text = StrCat(Name(crossing.from), " → ", Name(crossing.to), " ", crossing.boundaries,
                            crossing.boundaries == 1 ? " time" : " times");
  if (crossing.copies > 0) {
    StrAppend(&text, ": ", crossing.copies, crossing.copies == 1 ? " copy, " : " copies, ",
              SpanText(BytesText(crossing.copied_bytes_min), BytesText(crossing.copied_bytes_max)));
  }
  if (crossing.shared > 0) {
    StrAppend(&text, crossing.copies > 0 ? "; " : ": ",
              SpanText(BytesText(crossing.shared_bytes_min), BytesText(crossing.shared_bytes_max)),
              " in shared memory", crossing.copies > 0 ? "" : ", nothing copied");
  }
  return text;
}

EdgeKinds::EdgeKinds(const RegimeView& regime) {
  const Plan* plan = regime.regime->graph.plan();
  if (!plan) return;
  std::map<int32_t, Device> by_position;
  for (const Segment& segment : plan->segments) {
    for (const Step& step : segment.steps) by_position[step.node] = segment.space();
  }
  for (const NodeView& view : regime.nodes) {
    auto at = by_position.find(view.position);
    if (at != by_position.end()) spaces_[view.node] = at->second;
  }
}

EdgeKind EdgeKinds::Of(const Node& from, const Node& to) const {
  if (DeviceOf(from.placement()->target) == DeviceOf(to.placement()->target)) {
    return EdgeKind::kSameDevice;
  }
  auto source = spaces_.find(&from), sink = spaces_.find(&to);
  bool known = source != spaces_.end() && sink != spaces_.end();
  return known && source->second == sink->second ? EdgeKind::kShared : EdgeKind::kCopied;
}

}  // namespace infer
