// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace infer {

// Returns the file for the page of `program`: p.html beside p.pb, or in the current folder if
// `in_current_folder`. A folder that cannot be written and one in which that name belongs to
// something other than a page of infer-viz are passed over, in this order: beside the program, the
// current folder, a new folder for temporary files.
absl::StatusOr<std::string> PagePath(const std::string& program, bool in_current_folder);

}  // namespace infer
