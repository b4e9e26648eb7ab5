// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/timing_json.h"

#include <cmath>
#include <map>
#include <utility>

#include "ir/base/json.h"

namespace infer {
namespace {

Json RowJson(const NodeTiming& timing) {
  return {timing.n,       timing.min_ns,      timing.p50_ns,
          timing.p95_ns,  timing.total_ns,    timing.wait_ns,
          timing.busy_ns, timing.busy_max_ns, std::llround(timing.estimate_ns)};
}

// Writes an event for each thread and node, or null if the thread took no part in it.
Json TimelineJson(const CallTimeline& timeline, const std::map<uint64_t, size_t>& position,
                  const RegimeView& regime) {
  Json threads = Json::array();
  for (const std::vector<TimelineEvent>& thread : timeline.threads) {
    Json& events = threads.emplace_back(Json::array());
    int64_t last_ns = 0;  // differences have few digits, and pages hold ten thousand events
    for (const NodeView& view : regime.nodes) {
      auto it = position.find(view.id);
      const TimelineEvent event = it == position.end() ? TimelineEvent() : thread[it->second];
      if (event == TimelineEvent()) {
        events.push_back(nullptr);
      } else {
        events.push_back({event.start_ns - last_ns, event.end_ns - event.start_ns,
                          event.wait_end_ns - event.end_ns, event.inner_wait_ns});
        last_ns = event.wait_end_ns;
      }
    }
  }
  return {{"T", timeline.tokens},
          {"R", timeline.logit_rows},
          {"S", timeline.positions},
          {"wall_ns", timeline.wall_ns},
          {"threads", std::move(threads)}};
}

Json GroupJson(const ProfileRegime& measured, const CallGroup& group, const RegimeView& regime) {
  std::map<uint64_t, size_t> position;
  for (size_t i = 0; i < measured.nodes.size(); ++i) position[measured.nodes[i].id] = i;
  Json timings = Json::array();
  for (const NodeView& view : regime.nodes) {
    auto it = position.find(view.id);
    timings.push_back(it == position.end() ? Json(nullptr) : RowJson(group.timings[it->second]));
  }
  Json experts = Json::array();
  for (size_t n = 0; n < regime.nodes.size(); ++n) {
    auto it = position.find(regime.nodes[n].id);
    if (it == position.end()) continue;
    for (const ExpertLoad& load : group.experts) {
      if (load.node == static_cast<int64_t>(it->second)) {
        experts.push_back({{"node", n}, {"rows", load.rows}});
      }
    }
  }
  const SymbolValues mean = group.MeanSymbols();
  Json json = {{"tokens", {group.min_tokens, group.max_tokens}},
               {"calls", group.calls},
               {"sum_tokens", group.tokens},
               {"mean", {{"T", mean.t}, {"R", mean.r}, {"S", mean.s}}},
               {"wall_ns", group.wall_ns},
               {"estimate_ns", std::llround(group.estimate_ns)},
               {"timings", std::move(timings)}};
  if (!experts.empty()) json["experts"] = std::move(experts);
  if (group.timeline.tokens > 0) json["timeline"] = TimelineJson(group.timeline, position, regime);
  return json;
}

}  // namespace

Json TimingJson(const Profile& profile, const std::vector<RegimeView>& regimes) {
  Json list = Json::array();
  for (const RegimeView& regime : regimes) {
    Json groups = Json::array();
    for (const ProfileRegime& measured : profile.regimes) {
      if (measured.min_tokens != regime.tokens().min) continue;
      for (const CallGroup& group : measured.groups) {
        groups.push_back(GroupJson(measured, group, regime));
      }
    }
    list.push_back(std::move(groups));
  }
  Json json = {{"policy", profile.policy},
               {"machine", profile.machine},
               {"threads", profile.threads},
               {"threads_by", profile.threads_by},
               {"columns",
                {"n", "min_ns", "p50_ns", "p95_ns", "total_ns", "wait_ns", "busy_ns", "busy_max_ns",
                 "estimate_ns"}},
               {"regimes", std::move(list)}};
  if (profile.emulated) json["emulated"] = true;
  if (!profile.rank_threads.empty()) json["rank_threads"] = profile.rank_threads;
  return json;
}

}  // namespace infer
