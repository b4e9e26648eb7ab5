// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "ir/graph/placement.h"
#include "runtime/kernel_registry.h"
#include "tools/bench/op_case.h"
#include "tools/bench/op_node.h"

namespace infer {

// A kernel to time, as one of several equal steps in a segment.
struct TimedKernel {
  std::string op;
  OpShape shape = {};
  Target target = Target::kSimd;
  bool cold = false;  // weights and cache come from memory
  int copies = 1;     // of weights and cache, at least; each step reads another one
  int steps = 8;
  bool fed = false;  // between products that write its inputs; see OpCase::Request
  Target writers_on = Target::kSimd;
};

struct KernelTime {
  double ns = 0;         // of a step, including the synchronization of the threads after it
  double spread_ns = 0;  // how much the rounds differ
  double flops = 0;      // of a step
  double bytes = 0;
  Cost cost;
  SymbolValues symbols;
};

// Times kernels. Other work on the machine makes a kernel slower and never faster, so the least
// time counts, over batches and, if everything is timed in several rounds, over rounds: a
// disturbance that outlasts a batch rarely lasts until the next round.
class KernelTimer {
 public:
  struct Callbacks {
    std::function<absl::Status()> check;  // called before each kernel; an error ends the work
    std::function<void(const std::string& note)> on_kernel;
  };
  KernelTimer(const KernelRegistry& registry, Callbacks callbacks)
      : registry_(registry), callbacks_(std::move(callbacks)) {}

  // Starts a new round: kernels are timed once more each, and the better time is kept.
  void StartRound() { ++round_; }

  // Returns nullopt if the target has no such kernel here.
  absl::StatusOr<std::optional<KernelTime>> Time(const TimedKernel& kernel);

 private:
  struct Entry {
    int round = 0;
    std::optional<KernelTime> time;
    double most_ns = 0;  // over the rounds
  };
  absl::Status Measure(const TimedKernel& kernel, Entry* entry);
  absl::StatusOr<std::unique_ptr<OpCase>> MakeCase(const TimedKernel& kernel, bool writers_alone);

  const KernelRegistry& registry_;
  Callbacks callbacks_;
  int round_ = 1;
  std::map<std::string, Entry> entries_;
};

}  // namespace infer
