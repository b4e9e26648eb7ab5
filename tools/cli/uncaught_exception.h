// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace infer {

// Returns what the exception that is being handled means, as an error of the tool or thread `of`.
absl::Status StatusOfException(std::string_view of);

// From now on an exception that nobody catches ends the process with one error line, and temporary
// files are removed. A lack of memory or threads has its exit code: oneTBB's workers start further
// workers, and one that cannot be started is an exception in a thread that is not ours. Any other
// exception is a defect and still aborts.
void ExitOnUncaughtExceptions();

}  // namespace infer
