// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "ir/program/program.h"

namespace infer {

// A stored Program: in its binary form. A model in its place is called that,
// whatever its size.
absl::StatusOr<Program> ReadProgramFile(const std::string& path);

// The model file that a stored Program was compiled from, looked for beside it under its recorded
// base name. A Program never names a path, so it cannot make a tool open another folder's file.
absl::StatusOr<std::string> FindModelBeside(const std::string& program_path,
                                            const Program& program);

}  // namespace infer
