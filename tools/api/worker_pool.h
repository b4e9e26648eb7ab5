// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/base/parallel_for.h"

namespace infer {

// Shares work out over `threads` threads at most, the caller's among them. The threads sleep
// between calls. The limit holds for the whole process as long as a copy of the function lives.
ParallelFor MakeParallelFor(int threads);

}  // namespace infer
