// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "tools/profile/profile_sums.h"
#include "tools/profile/profile_text.h"

namespace infer {
namespace {

// A line has `mean_p50_ns` and `worst_p95_ns`, a node `p50_ns` and `p95_ns`.
void AddTiming(const NodeTiming& timing, int threads, bool is_line, Json* json) {
  (*json)["n"] = timing.n;
  (*json)["min_ns"] = timing.min_ns;
  (*json)[is_line ? "mean_p50_ns" : "p50_ns"] = timing.p50_ns;
  (*json)[is_line ? "worst_p95_ns" : "p95_ns"] = timing.p95_ns;
  (*json)["total_ns"] = timing.total_ns;
  (*json)["wait_ns"] = timing.wait_ns;
  (*json)["busy_ns"] = timing.busy_ns;
  (*json)["wait_share"] = timing.wait_share();
  (*json)["imbalance"] = timing.imbalance(threads);
  (*json)["estimate_ns"] = timing.estimate_ns;
}

void AddSums(const CallSums& sums, Json* json) {
  (*json)["calls"] = sums.calls;
  (*json)["wall_ns"] = sums.wall_ns;
  (*json)["steps_ns"] = sums.steps_ns;
  (*json)["coverage"] = sums.coverage();
  (*json)["wait_ns"] = sums.wait_ns;
  (*json)["busy_ns"] = sums.busy_ns;
  (*json)["wait_share"] = sums.wait_share();
  (*json)["estimate_ns"] = sums.estimate_ns;
  (*json)["estimate_over_measurement"] = sums.ratio();
}

// For each thread, [start, end, end of the wait behind it, wait inside] of each node in ns.
Json TimelineJson(const CallTimeline& timeline) {
  Json json = {{"T", timeline.tokens},
               {"R", timeline.logit_rows},
               {"S", timeline.positions},
               {"wall_ns", timeline.wall_ns},
               {"threads", Json::array()}};
  for (const std::vector<TimelineEvent>& thread : timeline.threads) {
    Json events = Json::array();
    for (const TimelineEvent& event : thread) {
      events.push_back({event.start_ns, event.end_ns, event.wait_end_ns, event.inner_wait_ns});
    }
    json["threads"].push_back(std::move(events));
  }
  return json;
}

Json GroupJson(const ProfileRegime& regime, const CallGroup& group, int threads) {
  Json json;
  json["tokens"] = {group.min_tokens, group.max_tokens};
  const SymbolValues mean = group.MeanSymbols();
  json["mean"] = {{"T", mean.t}, {"R", mean.r}, {"S", mean.s}};
  AddSums(SumsOf(group), &json);
  const OneCall call = OneCallOf(group);
  json["one_call"] = {{"mean_ns", call.mean_ns},
                      {"median_ns", call.median_ns},
                      {"estimate_ns", call.estimate_ns},
                      {"estimate_over_mean", call.over_mean()},
                      {"estimate_over_median", call.over_median()}};
  json["ops"] = Json::array();
  for (const ProfileLine& line : LinesByOp(regime, group)) {
    Json op = {{"op", line.op}, {"target", line.target}, {"nodes", line.nodes}};
    AddTiming(line.timing, threads, /*is_line=*/true, &op);
    json["ops"].push_back(std::move(op));
  }
  json["nodes"] = Json::array();
  for (size_t i = 0; i < regime.nodes.size(); ++i) {
    const ProfileNode& named = regime.nodes[i];
    // As text, because a JSON number does not hold 64 bits.
    Json node = {{"id", absl::StrFormat("%016x", named.id)},
                 {"name", named.name},
                 {"op", named.op},
                 {"target", named.target},
                 {"kernel", named.kernel},
                 {"mode", named.mode}};
    AddTiming(group.timings[i], threads, /*is_line=*/false, &node);
    json["nodes"].push_back(std::move(node));
  }
  for (const ExpertLoad& load : group.experts) {
    json["nodes"][static_cast<size_t>(load.node)]["expert_rows"] = load.rows;
  }
  if (group.timeline.tokens > 0) json["timeline"] = TimelineJson(group.timeline);
  return json;
}

}  // namespace

std::string ProfileJson(const Profile& profile) {
  Json json;
  json["schema_version"] = profile.schema_version;
  json["model"] = profile.model.files.empty() ? "" : profile.model.files[0].name;
  json["header_hash"] = profile.model.header_hash;
  json["program"] = absl::StrFormat("%016x", profile.program);
  json["policy"] = profile.policy;
  json["machine"] = profile.machine;
  json["threads"] = profile.threads;
  json["threads_by"] = profile.threads_by;
  json["emulated"] = profile.emulated;
  if (!profile.rank_threads.empty()) json["rank_threads"] = profile.rank_threads;
  json["regimes"] = Json::array();
  for (const ProfileRegime& regime : profile.regimes) {
    Json made;
    made["tokens"] = {regime.min_tokens, regime.max_tokens};
    AddSums(SumsOf(regime), &made);
    made["groups"] = Json::array();
    for (const CallGroup& group : regime.groups) {
      made["groups"].push_back(GroupJson(regime, group, profile.threads));
    }
    json["regimes"].push_back(std::move(made));
  }
  // A file's name may not be valid UTF-8.
  return JsonText(json);
}

}  // namespace infer
