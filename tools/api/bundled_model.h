// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace infer {

// Returns the path of the model that comes with the project: beside an installed binary
// (../share/infer/models), or in the source tree of the build.
absl::StatusOr<std::string> FindBundledModel();

}  // namespace infer
