// SPDX-License-Identifier: Apache-2.0
//
// The connection of this process to the other ranks of a divided run. There is one at most, as
// there is one MPI in a process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/program/program.h"
#include "runtime/delayed_collective.h"
#include "runtime/mpi/mpi_ranks.h"

namespace infer {

// `network` is a slower network to imitate.
void SetProcessRanks(std::shared_ptr<MpiRanks> ranks, const NetworkDelay& network = {});
// Null if this process runs alone.
std::shared_ptr<MpiRanks> ProcessRanks();
// The transport for the model's own messages.
std::shared_ptr<Collective> ProcessTransport();

// What a rank has loaded.
struct LoadedRank {
  const Program* program = nullptr;
  std::string build = {};  // names the build of this program
  int threads = 1;         // with which it runs
};

// Compares what the ranks have loaded. Called by every rank once for each load; returns in what the
// ranks differ: another build, another model file, other options, kernels that round differently.
// With mode FAST the CPUs may differ.
absl::Status AgreeOnLoad(MpiRanks& ranks, const LoadedRank& loaded);
// Returns the number of threads of each rank, after AgreeOnLoad; empty if this process runs alone.
std::vector<int> RankThreads();

}  // namespace infer
