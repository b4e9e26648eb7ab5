// SPDX-License-Identifier: Apache-2.0
//
// What a profiled run measured: plain data, joined with graphs by node id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/program/model_ref.h"
#include "ir/program/program.h"
#include "runtime/call_timeline.h"

namespace infer {

inline constexpr int32_t kProfileSchemaVersion = 1;

// A step of a plan that computes or copies something. Enough to print a profile without its
// Program.
struct ProfileNode {
  uint64_t id = 0;   // see NodeIds and CopyId
  std::string name;  // see NodeName; of a copy, of the node whose result it copies
  std::string op;    // "copy" for a copy
  std::string target;
  std::string kernel;  // "cpu to metal" for a copy
  std::string mode;    // "serial", "sliced"
  bool operator==(const ProfileNode&) const = default;
};

// A node in the calls of a group. A step's time is that of thread 0 from its start until the
// barrier behind it lets thread 0 go, so that the steps of a call add up to it.
struct NodeTiming {
  int64_t n = 0;
  int64_t min_ns = 0;
  int64_t p50_ns = 0;  // of the last calls, up to Profiler::kKeptCalls
  int64_t p95_ns = 0;
  int64_t total_ns = 0;
  int64_t wait_ns = 0;      // for other threads, all threads together
  int64_t busy_ns = 0;      // all threads together
  int64_t busy_max_ns = 0;  // of the busiest thread of each call
  double estimate_ns = 0;   // of one call at the group's mean symbols; 0: none was made

  // How much longer the busiest thread works than the mean: 1 if all do the same.
  double imbalance(int threads) const {
    return busy_ns > 0 ? static_cast<double>(busy_max_ns) * threads / static_cast<double>(busy_ns)
                       : 1.0;
  }
  // Which part of the threads' own time in the step they waited. A thread that is through with the
  // steps before waits here while thread 0 is still in those: total_ns is no measure of it.
  double wait_share() const {
    return wait_ns > 0 ? static_cast<double>(wait_ns) / static_cast<double>(wait_ns + busy_ns) : 0;
  }
  bool operator==(const NodeTiming&) const = default;
};

// Calls of a regime whose numbers of tokens lie between the same two powers of two: one group for
// decoding and one for each size of chunk, even if the regime holds all of them.
struct CallGroup {
  int64_t min_tokens = 0;  // that occurred
  int64_t max_tokens = 0;
  int64_t calls = 0;
  int64_t tokens = 0;               // sum over the calls, as are the next two
  int64_t logit_rows = 0;           // R
  int64_t positions = 0;            // S
  int64_t wall_ns = 0;              // of the calls
  std::vector<NodeTiming> timings;  // by node of the regime
  CallTimeline timeline = {};       // of the shortest call, which was disturbed least
  double estimate_ns = 0;           // of one call at the mean symbols, steps and all; 0: none
  int64_t wall_p50_ns = 0;          // of one call, as of a node; 0: the file does not say
  int64_t sequences = 0;            // sum over the calls; 0: the file does not say

  SymbolValues MeanSymbols() const;
  bool operator==(const CallGroup&) const = default;
};

struct ProfileRegime {
  int64_t min_tokens = 0;
  int64_t max_tokens = 0;
  std::vector<ProfileNode> nodes;  // in the order of the plan
  std::vector<CallGroup> groups;   // by tokens, ascending; none if no call was in the regime
  bool operator==(const ProfileRegime&) const = default;
};

struct Profile {
  int32_t schema_version = kProfileSchemaVersion;
  ModelRef model;
  uint64_t program = 0;  // ProgramKey
  std::string policy;
  std::string machine;  // that estimates were made for: "generic", "calibrated"; empty: none
  int32_t threads = 1;
  std::string threads_by;  // "team", "tbb"
  // Whether steps ran on a device that is only emulated: their times say nothing about it.
  bool emulated = false;
  std::vector<ProfileRegime> regimes;
  bool operator==(const Profile&) const = default;
};

// A number for a copy as NodeIds gives them to nodes; `node` is that of the value.
uint64_t CopyId(uint64_t node, const CopyStep& copy);
// "cpu to metal".
std::string DirectionText(const CopyStep& copy);

// A hash of what a Program runs: model, regimes, and id and kernel of each step. Two Programs with
// the same one can share a profile, whatever their estimates and lengths of context.
uint64_t ProgramKey(const Program& program);

// kInvalidArgument, naming what differs, if the profile is of another Program. `where` names the
// profile's file.
absl::Status CheckProfileOf(const Program& program, const Profile& profile, std::string_view where);

// 16 bytes a number, and more nodes than any plan that is read.
inline constexpr size_t kMaxProfileFileBytes = size_t{64} << 20;

absl::StatusOr<std::string> SerializeProfile(const Profile& profile);
// Trusts nothing; `where` names the file in errors.
absl::StatusOr<Profile> DeserializeProfile(std::string_view bytes, std::string_view where);

}  // namespace infer
