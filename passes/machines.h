// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "ir/policy/machine.h"
#include "ir/program/program.h"

namespace infer {

// The text of passes/machines/generic.textproto, built in.
std::string_view GenericMachineText();

// Returns the description in the file at that path, or the generic one if the path is "generic" or
// empty.
absl::StatusOr<MachineDescription> LoadMachine(std::string_view path);

// Returns what a Program stores of the machine that its estimates were made for.
Machine RecordOf(const MachineDescription& machine);

}  // namespace infer
