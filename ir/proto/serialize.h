// SPDX-License-Identifier: Apache-2.0
//
// The protobuf form of graphs and Programs (ir/proto/graph.proto). Loading trusts nothing:
// structure is checked here, and the caller gets a Program only after the verifier has accepted it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/program/program.h"

namespace infer {

// 100 times the size of a Program of 28 layers; weights are not stored in it.
inline constexpr size_t kMaxProgramFileBytes = size_t{64} << 20;

// Returns the bytes of a Program; equal Programs give equal bytes.
absl::StatusOr<std::string> SerializeProgram(const Program& program);
// `where` names the file in errors.
absl::StatusOr<Program> DeserializeProgram(std::string_view bytes, std::string_view where);

absl::StatusOr<std::string> SerializeGraph(const Graph& graph);
absl::StatusOr<Graph> DeserializeGraph(std::string_view bytes, std::string_view where);

// Return the same message in protobuf's text and JSON forms, for people and other tools.
absl::StatusOr<std::string> ProgramToTextproto(const Program& program);
absl::StatusOr<std::string> ProgramToJson(const Program& program);
absl::StatusOr<std::string> GraphToTextproto(const Graph& graph);
absl::StatusOr<std::string> GraphToJson(const Graph& graph);

}  // namespace infer
