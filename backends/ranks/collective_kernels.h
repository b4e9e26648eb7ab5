// SPDX-License-Identifier: Apache-2.0
//
// The collectives as kernels. Unlike those of other devices they can fail, because another rank
// can.
#pragma once

#include <span>

#include "absl/status/status.h"
#include "ir/base/parallel_for.h"
#include "runtime/backend.h"
#include "runtime/collective.h"
#include "runtime/kernel.h"
#include "runtime/shared_ranks.h"

namespace infer {

// What a rank has for its collectives.
struct RankLink {
  Collective* transport = nullptr;
  SharedRanks* shared = nullptr;         // the transport, if the results lie in common memory
  ParallelFor parallel_for = SerialFor;  // for writing and placing messages
  int64_t* waited_ns = nullptr;          // if set, grows by the time waited for the other ranks
};

struct CollectiveKernel {
  KernelInfo info;
  absl::Status (*run)(const KernelArgs& args, const RankLink& link);
};

std::span<const CollectiveKernel> CollectiveKernels();

}  // namespace infer
