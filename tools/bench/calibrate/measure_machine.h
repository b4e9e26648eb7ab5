// SPDX-License-Identifier: Apache-2.0
//
// Derives the description of this machine from times of single kernels.
#pragma once

#include <span>

#include "absl/status/statusor.h"
#include "ir/policy/machine.h"
#include "tools/bench/calibrate/kernel_timer.h"

namespace infer {

// `types` are weight types. The caller sets the name and the number of threads.
absl::StatusOr<MachineDescription> MeasureMachine(std::span<const DType> types, KernelTimer& timer);

}  // namespace infer
