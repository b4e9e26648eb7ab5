// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "ir/policy/machine.h"
#include "ir/program/program.h"

namespace infer {

// passes/machines/generic.textproto, built in.
std::string_view GenericMachineText();

// The description in the file at that path; the generic one if it is "generic" or empty.
absl::StatusOr<MachineDescription> LoadMachine(std::string_view path);

// What a Program keeps of the machine that its estimates were made for.
Machine RecordOf(const MachineDescription& machine);

}  // namespace infer
