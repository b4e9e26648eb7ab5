// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"
#include "ir/program/program.h"

namespace infer {

// Parses what the printer writes; the grammar is in ir/README.md. Errors name line and column. The
// result is well-formed (every name defined once and before it is used, every op known) but not
// verified.
absl::StatusOr<Graph> ParseGraph(std::string_view text);
absl::StatusOr<Program> ParseProgram(std::string_view text);

}  // namespace infer
