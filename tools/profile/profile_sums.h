// SPDX-License-Identifier: Apache-2.0
//
// Sums up a profile's nodes to the lines of a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/profile.h"

namespace infer {

// Nodes that differ only in the layer, or all nodes of an op.
struct ProfileLine {
  std::string node;  // "layer.*/attn/q_proj"; empty for an op
  std::string op;
  std::string target;
  std::string kernel;
  int64_t nodes = 0;
  // Times of all of them together; p50 is the mean of the nodes' p50 and p95 the worst: a profile
  // keeps the percentiles of nodes, not the samples behind them.
  NodeTiming timing;
};

// Joins nodes that differ only in the layer; largest total first.
std::vector<ProfileLine> LinesByNode(const ProfileRegime& regime, const CallGroup& group);
// Joins nodes by op and target.
std::vector<ProfileLine> LinesByOp(const ProfileRegime& regime, const CallGroup& group);

struct CallSums {
  int64_t calls = 0;
  int64_t wall_ns = 0;
  int64_t steps_ns = 0;
  int64_t wait_ns = 0;  // of all threads together, as busy_ns
  int64_t busy_ns = 0;
  double estimate_ns = 0;  // of all calls, with what belongs to no step; 0 if some have none

  // Returns the share of the calls' time that the steps account for.
  double coverage() const { return wall_ns > 0 ? static_cast<double>(steps_ns) / wall_ns : 0; }
  // See NodeTiming::wait_share.
  double wait_share() const {
    return wait_ns > 0 ? static_cast<double>(wait_ns) / static_cast<double>(wait_ns + busy_ns) : 0;
  }
  // Returns estimate over measurement; 0 without an estimate.
  double ratio() const { return wall_ns > 0 ? estimate_ns / static_cast<double>(wall_ns) : 0; }
};
CallSums SumsOf(const CallGroup& group);
CallSums SumsOf(const ProfileRegime& regime);

// One call of a group: its estimate (EstimateCall) beside the wall times of those that ran. A few
// disturbed calls, such as the first, shift the mean but not the median.
struct OneCall {
  double estimate_ns = 0;  // 0 if there is none
  double mean_ns = 0;
  double median_ns = 0;  // 0 if the profile does not have it

  double over_mean() const { return mean_ns > 0 ? estimate_ns / mean_ns : 0; }
  double over_median() const { return median_ns > 0 ? estimate_ns / median_ns : 0; }
};
OneCall OneCallOf(const CallGroup& group);

}  // namespace infer
