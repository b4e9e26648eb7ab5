// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "runtime/kernel.h"

namespace infer {

// A row in the table of a CPU target. A kernel has no state, allocates nothing, logs nothing and
// cannot fail: anything that could go wrong was refused by `accepts` or by the verifier.
//
// Work is divided into units that depend on shapes and lengths and never on the number of threads,
// so that any distribution of the units gives the same bits.
struct CpuPhase {
  void (*run)(const KernelArgs& args, int64_t begin, int64_t end) = nullptr;  // nullptr: no phase
  int64_t (*units)(const KernelArgs& args) = nullptr;  // nullptr: one unit, the whole node
};

struct CpuKernel {
  KernelInfo info;
  void (*run)(const KernelArgs& args, int64_t begin, int64_t end);
  int64_t (*units)(const KernelArgs& args) = nullptr;
  // Completes before the first unit of `run` starts: quantises activations once for all units.
  CpuPhase prepare = {};
  // Starts when the last unit of `run` is complete: merges partial results in a fixed order.
  CpuPhase finish = {};
  // Computes, once at load, what the phases find at KernelArgs::bound: functions of the chosen
  // level, tables that follow from attributes. nullptr: the phases need only their arguments.
  std::shared_ptr<const void> (*bind)(const Node& node) = nullptr;

  // In execution order.
  std::array<CpuPhase, 3> phases() const { return {prepare, {run, units}, finish}; }
};

// Returns the number of units of a phase for these arguments; 0 if there is no such phase.
inline int64_t UnitsOf(const CpuPhase& phase, const KernelArgs& args) {
  if (phase.run == nullptr) return 0;
  return phase.units == nullptr ? 1 : phase.units(args);
}

}  // namespace infer
