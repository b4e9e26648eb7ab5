// SPDX-License-Identifier: Apache-2.0
//
// The measurements of a profiled run: plain data, matched with graphs by node id.
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

struct CopyStep;

inline constexpr int32_t kProfileSchemaVersion = 1;

// A step of a plan that computes or copies something. Enough to print a profile without its
// Program.
struct ProfileNode {
  uint64_t id = 0;   // see NodeIds and CopyId
  std::string name;  // see NodeName; for a copy, the node whose result it copies
  std::string op;    // "copy" for a copy
  std::string target;
  std::string kernel;  // "cpu to test" for a copy
  std::string mode;    // "serial", "sliced"
  bool operator==(const ProfileNode&) const = default;
};

// The timing of a node in the calls of a group. A step's time is that of thread 0 from its start
// until it leaves the barrier after the step, so that the steps of a call add up to it.
struct NodeTiming {
  int64_t n = 0;
  int64_t min_ns = 0;
  int64_t p50_ns = 0;  // over the last Profiler::kKeptCalls calls
  int64_t p95_ns = 0;
  int64_t total_ns = 0;
  int64_t wait_ns = 0;      // waiting for other threads, summed over all threads
  int64_t busy_ns = 0;      // summed over all threads
  int64_t busy_max_ns = 0;  // of the busiest thread, summed over the calls
  double estimate_ns = 0;   // of one call at the group's mean symbols; 0 means none

  // Time of the busiest thread over the mean of all threads: 1 if the work is evenly divided.
  double imbalance(int threads) const {
    return busy_ns > 0 ? static_cast<double>(busy_max_ns) * threads / static_cast<double>(busy_ns)
                       : 1.0;
  }
  // Fraction of the threads' own time in the step that was spent waiting. A thread that finishes
  // earlier steps first waits here while thread 0 is still in those, so total_ns is not the right
  // base.
  double wait_share() const {
    return wait_ns > 0 ? static_cast<double>(wait_ns) / static_cast<double>(wait_ns + busy_ns) : 0;
  }
  bool operator==(const NodeTiming&) const = default;
};

// How many rows each expert of a node got, summed over the calls of a group.
struct ExpertLoad {
  int64_t node = 0;  // index in the regime
  std::vector<int64_t> rows;
  bool operator==(const ExpertLoad&) const = default;
};

// Calls of a regime whose token counts lie between the same two powers of two: one group for
// decoding and one for each size of chunk, even if one regime covers all of them.
struct CallGroup {
  int64_t min_tokens = 0;  // smallest that occurred
  int64_t max_tokens = 0;
  int64_t calls = 0;
  int64_t tokens = 0;                    // sum over the calls, like the next two
  int64_t logit_rows = 0;                // R
  int64_t positions = 0;                 // S
  int64_t wall_ns = 0;                   // of the calls
  std::vector<NodeTiming> timings;       // indexed by node of the regime
  CallTimeline timeline = {};            // of the shortest call, which had the least interference
  double estimate_ns = 0;                // of one call at the mean symbols, with overheads; 0: none
  int64_t wall_p50_ns = 0;               // like NodeTiming::p50_ns; 0 if the file lacks it
  int64_t sequences = 0;                 // sum over the calls; 0 if the file lacks it
  std::vector<ExpertLoad> experts = {};  // of the nodes that have experts, by node

  SymbolValues MeanSymbols() const;
  bool operator==(const CallGroup&) const = default;
};

struct ProfileRegime {
  int64_t min_tokens = 0;
  int64_t max_tokens = 0;
  std::vector<ProfileNode> nodes;  // in the order of the plan
  std::vector<CallGroup> groups;   // by tokens, ascending; empty if no call used the regime
  bool operator==(const ProfileRegime&) const = default;
};

struct Profile {
  int32_t schema_version = kProfileSchemaVersion;
  ModelRef model;
  uint64_t program = 0;  // ProgramKey
  std::string policy;
  std::string machine;  // of the estimates: "generic", "calibrated"; empty if none
  int32_t threads = 1;
  std::string threads_by;                  // "team", "tbb"
  std::vector<int32_t> rank_threads = {};  // for a divided model: of each rank, in their order
  // Whether steps ran on an emulated device, whose times say nothing about the real one.
  bool emulated = false;
  std::vector<ProfileRegime> regimes;
  bool operator==(const Profile&) const = default;
};

// Returns an id for a copy, like NodeIds does for nodes; `node` is the id of the copied value.
uint64_t CopyId(uint64_t node, const CopyStep& copy);
// "cpu to test".
std::string DirectionText(const CopyStep& copy);

// Returns a hash of what a Program runs: model, regimes, and id and kernel of each step. Two
// Programs with the same key can share a profile, whatever their estimates and context lengths.
uint64_t ProgramKey(const Program& program);

// Returns kInvalidArgument, naming what differs, if the profile belongs to another Program. `where`
// names the profile's file.
absl::Status CheckProfileOf(const Program& program, const Profile& profile, std::string_view where);

// Allows 16 bytes per number and more nodes than any plan has.
inline constexpr size_t kMaxProfileFileBytes = size_t{64} << 20;

absl::StatusOr<std::string> SerializeProfile(const Profile& profile);
// Validates everything; `where` names the file in errors.
absl::StatusOr<Profile> DeserializeProfile(std::string_view bytes, std::string_view where);

}  // namespace infer
