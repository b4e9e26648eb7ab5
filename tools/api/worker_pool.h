// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/base/parallel_for.h"

namespace infer {

// Returns a function that distributes work over at most `threads` threads, including the caller's.
// The threads sleep between calls. The limit applies to the whole process as long as a copy of the
// function exists.
ParallelFor MakeParallelFor(int threads);

}  // namespace infer
