// SPDX-License-Identifier: Apache-2.0
//
// Converts profiles to and from their protobuf message.
#include <initializer_list>

#include "ir/base/advice.h"
#include "ir/base/control_chars.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/graph/placement.h"
#include "ir/proto/program_file.h"
#include "runtime/profile.h"
#include "runtime/profile.pb.h"

namespace infer {
namespace {

// In nanoseconds, five hours of one node. Sums over all timings of a profile stay within 62 bits.
constexpr int64_t kMaxCount = int64_t{1} << 44;
constexpr size_t kMaxTimings = size_t{1} << 18;

absl::Status Error(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

void TimingToProto(const NodeTiming& timing, proto::NodeTiming* out) {
  out->set_n(timing.n);
  out->set_min_ns(timing.min_ns);
  out->set_p50_ns(timing.p50_ns);
  out->set_p95_ns(timing.p95_ns);
  out->set_total_ns(timing.total_ns);
  out->set_wait_ns(timing.wait_ns);
  out->set_busy_ns(timing.busy_ns);
  out->set_busy_max_ns(timing.busy_max_ns);
  out->set_estimate_ns(timing.estimate_ns);
}

void TimelineToProto(const CallTimeline& timeline, proto::CallTimeline* out) {
  out->set_tokens(timeline.tokens);
  out->set_logit_rows(timeline.logit_rows);
  out->set_positions(timeline.positions);
  out->set_wall_ns(timeline.wall_ns);
  for (const std::vector<TimelineEvent>& thread : timeline.threads) {
    proto::ThreadTimeline* made = out->add_threads();
    for (const TimelineEvent& event : thread) {
      made->add_start_ns(event.start_ns);
      made->add_end_ns(event.end_ns);
      made->add_wait_end_ns(event.wait_end_ns);
      made->add_inner_wait_ns(event.inner_wait_ns);
    }
  }
}

void RegimeToProto(const ProfileRegime& regime, proto::ProfileRegime* out) {
  out->set_min_tokens(regime.min_tokens);
  out->set_max_tokens(regime.max_tokens);
  for (const ProfileNode& node : regime.nodes) {
    proto::ProfileNode* made = out->add_nodes();
    made->set_id(node.id);
    made->set_name(node.name);
    made->set_op(node.op);
    made->set_target(node.target);
    made->set_kernel(node.kernel);
    made->set_mode(node.mode);
  }
  for (const CallGroup& group : regime.groups) {
    proto::CallGroup* made = out->add_groups();
    made->set_min_tokens(group.min_tokens);
    made->set_max_tokens(group.max_tokens);
    made->set_calls(group.calls);
    made->set_tokens(group.tokens);
    made->set_logit_rows(group.logit_rows);
    made->set_positions(group.positions);
    made->set_wall_ns(group.wall_ns);
    for (const NodeTiming& timing : group.timings) TimingToProto(timing, made->add_timings());
    if (group.timeline.tokens > 0) TimelineToProto(group.timeline, made->mutable_timeline());
    made->set_estimate_ns(group.estimate_ns);
    made->set_wall_p50_ns(group.wall_p50_ns);
    made->set_sequences(group.sequences);
    for (const ExpertLoad& load : group.experts) {
      proto::ExpertLoad* experts = made->add_experts();
      experts->set_node(load.node);
      experts->mutable_rows()->Assign(load.rows.begin(), load.rows.end());
    }
  }
}

// Readers of a profile add and divide these.
absl::Status CheckCounts(std::initializer_list<int64_t> counts) {
  for (int64_t count : counts) {
    if (count < 0 || count > kMaxCount) {
      return Error(StrCat("holds the count or time ", count, ", expected 0 to ", kMaxCount));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNames(std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) {
    if (HasControl(name))
      return Error(StrCat("holds a name with control characters: ", Quote(name)));
  }
  return absl::OkStatus();
}

absl::Status CheckEstimate(double ns) {
  if (ns >= 0 && ns <= kMostEstimateNs) return absl::OkStatus();  // false for NaN
  return Error(StrCat("holds the estimate ", ns, ", expected 0 to ", kMostEstimateNs));
}

absl::StatusOr<NodeTiming> TimingFromProto(const proto::NodeTiming& in) {
  RETURN_IF_ERROR(CheckCounts({in.n(), in.min_ns(), in.p50_ns(), in.p95_ns(), in.total_ns(),
                               in.wait_ns(), in.busy_ns(), in.busy_max_ns()}));
  RETURN_IF_ERROR(CheckEstimate(in.estimate_ns()));
  return NodeTiming{in.n(),       in.min_ns(),  in.p50_ns(),      in.p95_ns(),     in.total_ns(),
                    in.wait_ns(), in.busy_ns(), in.busy_max_ns(), in.estimate_ns()};
}

// Drawing a timeline relies on events that lie inside the call and end after they begin.
absl::StatusOr<CallTimeline> TimelineFromProto(const proto::CallTimeline& in, size_t nodes,
                                               int threads) {
  RETURN_IF_ERROR(CheckCounts({in.tokens(), in.logit_rows(), in.positions(), in.wall_ns()}));
  CallTimeline timeline{in.tokens(), in.logit_rows(), in.positions(), in.wall_ns(), {}};
  if (in.tokens() == 0 || in.threads_size() != threads) {
    return Error(StrCat("has a timeline of ", in.tokens(), " tokens on ", in.threads_size(),
                        " threads, expected ", threads));
  }
  for (const proto::ThreadTimeline& thread : in.threads()) {
    for (int size : {thread.start_ns_size(), thread.end_ns_size(), thread.wait_end_ns_size(),
                     thread.inner_wait_ns_size()}) {
      if (static_cast<size_t>(size) == nodes) continue;
      return Error(StrCat("has a timeline with ", size, " times for ", nodes, " nodes"));
    }
    std::vector<TimelineEvent>& events = timeline.threads.emplace_back();
    for (int i = 0; i < thread.start_ns_size(); ++i) {
      const TimelineEvent& event = events.emplace_back(TimelineEvent{
          thread.start_ns(i), thread.end_ns(i), thread.wait_end_ns(i), thread.inner_wait_ns(i)});
      const bool holds = 0 <= event.start_ns && event.start_ns <= event.end_ns &&
                         event.end_ns <= event.wait_end_ns && event.wait_end_ns <= in.wall_ns() &&
                         0 <= event.inner_wait_ns &&
                         event.inner_wait_ns <= event.end_ns - event.start_ns;
      if (!holds) return Error(StrCat("has a timeline whose node ", i, " is out of order"));
    }
  }
  return timeline;
}

absl::StatusOr<std::vector<ExpertLoad>> ExpertsFromProto(const proto::CallGroup& in, size_t nodes) {
  std::vector<ExpertLoad> experts;
  for (const proto::ExpertLoad& load : in.experts()) {
    const int64_t last = experts.empty() ? -1 : experts.back().node;
    if (load.node() <= last || load.node() >= static_cast<int64_t>(nodes) || load.rows().empty()) {
      return Error(StrCat("counts rows of ", load.rows_size(), " experts of node ", load.node(),
                          ", expected at least one and a node from ", last + 1, " to ", nodes,
                          ", exclusive"));
    }
    for (int64_t rows : load.rows()) RETURN_IF_ERROR(CheckCounts({rows}));
    experts.push_back({load.node(), {load.rows().begin(), load.rows().end()}});
  }
  return experts;
}

absl::StatusOr<CallGroup> GroupFromProto(const proto::CallGroup& in, size_t nodes, int threads) {
  RETURN_IF_ERROR(
      CheckCounts({in.min_tokens(), in.max_tokens(), in.calls(), in.tokens(), in.logit_rows(),
                   in.positions(), in.wall_ns(), in.wall_p50_ns(), in.sequences()}));
  if (static_cast<size_t>(in.timings_size()) != nodes) {
    return Error(StrCat("has ", in.timings_size(), " timings of ", nodes, " nodes"));
  }
  if (in.calls() == 0 || in.min_tokens() > in.max_tokens()) {
    return Error(StrCat("has a group of ", in.calls(), " calls of ", in.min_tokens(), "..",
                        in.max_tokens(), " tokens"));
  }
  CallGroup group{in.min_tokens(), in.max_tokens(), in.calls(),   in.tokens(),
                  in.logit_rows(), in.positions(),  in.wall_ns(), {}};
  for (const proto::NodeTiming& timing : in.timings()) {
    ASSIGN_OR_RETURN(NodeTiming read, TimingFromProto(timing));
    group.timings.push_back(read);
  }
  if (in.has_timeline()) {
    ASSIGN_OR_RETURN(group.timeline, TimelineFromProto(in.timeline(), nodes, threads));
  }
  RETURN_IF_ERROR(CheckEstimate(in.estimate_ns()));
  group.estimate_ns = in.estimate_ns();
  group.wall_p50_ns = in.wall_p50_ns();
  group.sequences = in.sequences();
  ASSIGN_OR_RETURN(group.experts, ExpertsFromProto(in, nodes));
  return group;
}

absl::StatusOr<ProfileRegime> RegimeFromProto(const proto::ProfileRegime& in, int threads) {
  RETURN_IF_ERROR(CheckCounts({in.min_tokens(), in.max_tokens()}));
  ProfileRegime regime{in.min_tokens(), in.max_tokens(), {}, {}};
  for (const proto::ProfileNode& node : in.nodes()) {
    RETURN_IF_ERROR(
        CheckNames({node.name(), node.op(), node.target(), node.kernel(), node.mode()}));
    regime.nodes.push_back(
        {node.id(), node.name(), node.op(), node.target(), node.kernel(), node.mode()});
  }
  for (const proto::CallGroup& group : in.groups()) {
    ASSIGN_OR_RETURN(CallGroup read, GroupFromProto(group, regime.nodes.size(), threads));
    regime.groups.push_back(std::move(read));
  }
  return regime;
}

absl::Status CheckRankThreads(const Profile& profile) {
  if (profile.rank_threads.empty()) return absl::OkStatus();
  int64_t sum = 0;
  for (const int32_t threads : profile.rank_threads) {
    if (threads < 1) return Error(StrCat("has a rank with ", threads, " threads"));
    sum += threads;
  }
  if (sum == profile.threads) return absl::OkStatus();
  return Error(StrCat("has ranks with ", sum, " threads, expected ", profile.threads));
}

absl::StatusOr<Profile> ReadProfile(std::string_view bytes) {
  proto::Profile in;
  if (std::string_view found = FormatOf(bytes); found == kProgramFormat || found == kGraphFormat) {
    return CheckFormat(found, kProfileFormat);
  }
  RETURN_IF_ERROR(ParseSealed(bytes, &in));
  RETURN_IF_ERROR(CheckFormat(in.format(), kProfileFormat));
  if (in.schema_version() < 1 || in.schema_version() > kProfileSchemaVersion) {
    return Error(StrCat("has schema version ", in.schema_version(), ", known here: 1 to ",
                        kProfileSchemaVersion));
  }
  RETURN_IF_ERROR(VerifyChecksum(bytes));
  if (in.threads() < 1) return Error(StrCat("was recorded with ", in.threads(), " threads"));
  Profile profile;
  profile.schema_version = in.schema_version();
  for (const proto::Profile::File& file : in.files()) {
    profile.model.files.push_back({file.name(), file.bytes()});
  }
  profile.model.header_hash = in.header_hash();
  profile.program = in.program();
  profile.policy = in.policy();
  profile.machine = in.machine();
  profile.threads = in.threads();
  profile.threads_by = in.threads_by();
  profile.emulated = in.emulated();
  profile.rank_threads.assign(in.rank_threads().begin(), in.rank_threads().end());
  RETURN_IF_ERROR(CheckRankThreads(profile));
  RETURN_IF_ERROR(CheckNames({profile.policy, profile.machine, profile.threads_by}));
  for (const ModelRef::File& file : profile.model.files) RETURN_IF_ERROR(CheckNames({file.name}));
  size_t timings = 0;
  for (const proto::ProfileRegime& regime : in.regimes()) {
    ASSIGN_OR_RETURN(ProfileRegime read, RegimeFromProto(regime, in.threads()));
    timings += read.nodes.size() * read.groups.size();
    profile.regimes.push_back(std::move(read));
  }
  if (timings > kMaxTimings) {
    return Error(StrCat("holds ", timings, " timings of nodes, but at most ", kMaxTimings,
                        " are supported"));
  }
  return profile;
}

}  // namespace

absl::StatusOr<std::string> SerializeProfile(const Profile& profile) {
  proto::Profile out;
  out.set_format(std::string(kProfileFormat));
  out.set_schema_version(profile.schema_version);
  for (const ModelRef::File& file : profile.model.files) {
    proto::Profile::File* made = out.add_files();
    made->set_name(file.name);
    made->set_bytes(file.bytes);
  }
  out.set_header_hash(profile.model.header_hash);
  out.set_program(profile.program);
  out.set_policy(profile.policy);
  out.set_machine(profile.machine);
  out.set_threads(profile.threads);
  out.set_threads_by(profile.threads_by);
  out.set_emulated(profile.emulated);
  for (const int32_t threads : profile.rank_threads) out.add_rank_threads(threads);
  for (const ProfileRegime& regime : profile.regimes) RegimeToProto(regime, out.add_regimes());
  return SealMessage(out);
}

absl::StatusOr<Profile> DeserializeProfile(std::string_view bytes, std::string_view where) {
  absl::StatusOr<Profile> profile = ReadProfile(bytes);
  if (profile.ok()) return profile;
  return WithAdvice(
      absl::InvalidArgumentError(
          StrCat(where, ": ", ToStd(profile.status().message()), "; profile the program again")),
      {Advice::kProfile});
}

}  // namespace infer
