// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes machine descriptions as text files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/policy/machine.h"

namespace infer {

inline constexpr size_t kMaxMachineBytes = size_t{1} << 20;

// Uses the text format of ir/policy/machine.proto. `where` names the file in errors.
absl::StatusOr<MachineDescription> ParseMachine(std::string_view textproto, std::string_view where);
std::string PrintMachine(const MachineDescription& machine);

}  // namespace infer
