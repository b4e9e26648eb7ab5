// SPDX-License-Identifier: Apache-2.0
//
// The connection of this process to the other ranks of a divided run. There is one at most, as
// there is one MPI in a process.
#pragma once

#include <memory>

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

// Compares what the ranks have loaded, and whether they could. Called by every rank once, with its
// own result and, if that is Ok, its Program; returns the error of the first rank that has one, or
// says in what the ranks differ: another version of the program, another model file, other kernels.
// With mode FAST the CPUs may differ.
absl::Status AgreeOnLoad(MpiRanks& ranks, const absl::Status& loaded, const Program* program);

}  // namespace infer
