// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "ir/program/program.h"

namespace infer {

// Reads a stored Program in binary form. A model file given in its place is reported as such,
// whatever its size.
absl::StatusOr<Program> ReadProgramFile(const std::string& path);

// Returns the model file that a stored Program was compiled from, looked up beside the Program
// under its recorded base name, or the bundled model if it has that name. A Program never names a
// path, so it cannot make a tool open a file in another folder.
absl::StatusOr<std::string> FindModelBeside(const std::string& program_path,
                                            const Program& program);

}  // namespace infer
