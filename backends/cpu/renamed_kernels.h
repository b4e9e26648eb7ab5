// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/cpu_kernel.h"

namespace infer {

// The rows of another target's table under the names of `target`, for a target that runs the same
// kernels in a different way.
class RenamedKernels {
 public:
  RenamedKernels(std::span<const CpuKernel> table, Target target);
  RenamedKernels(const RenamedKernels&) = delete;
  RenamedKernels& operator=(const RenamedKernels&) = delete;

  std::span<const CpuKernel> kernels() const { return kernels_; }

 private:
  std::vector<CpuKernel> kernels_;
  std::deque<std::string> names_;  // the rows point to these
};

}  // namespace infer
