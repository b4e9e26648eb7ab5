// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace infer {

// From now on an allocation by `new` that fails ends the process: temporary files are removed, one
// error line is printed, and the exit code is 4. An exception instead would have to pass through
// libraries that do not expect one there (Abseil's hash tables free memory that they have not got),
// functions that may not throw, and threads. What a tool allocates in large pieces, weights and
// caches, is not allocated by `new` and ends in a Status.
void ExitWhenOutOfMemory();

}  // namespace infer
