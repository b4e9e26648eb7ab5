// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tools/api/compile_model.h"

namespace infer::test {

// Writes the description of the generic machine with further entries, and returns its path. Tests
// that run side by side write the same file, each whole.
std::string WriteMachine(std::string_view name, std::string_view more);

// Entries of a description by which an op takes long on every target of the cpu.
std::string SlowOp(std::string_view op);

// Returns options with which ranks share out the rows of norms in calls of eight tokens and more: a
// policy that cuts regimes there, and a machine that needs long for norms.
CompileModelOptions WithSharedNorms(CompileModelOptions options);

}  // namespace infer::test
