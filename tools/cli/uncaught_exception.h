// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace infer {

// Returns what the exception that is being handled means, as an error of the tool or thread `of`.
absl::Status StatusOfException(std::string_view of);

// From now on an exception that nobody catches ends the process like an error: temporary files are
// removed, one error line is printed, and the exit code is that of the error. The threads of a
// library need it: oneTBB's workers start further workers, and one that cannot be started is an
// exception in a thread that is not ours.
void ExitOnUncaughtExceptions();

}  // namespace infer
