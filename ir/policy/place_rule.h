// SPDX-License-Identifier: Apache-2.0
//
// Rules as a user writes them in one line:
//
//   op=linear,layer>=20,rows<8=simd     name~blk\.[0-3]\.ffn=parallel     phase=decode=simd|scalar
//
//   rule  = [ term { "," term } "=" ] target { "|" target }
//   term  = ( "op" | "scope" | "name" ) "=" glob | "name" "~" regex
//         | "type" "=" element-type | ( "phase" | "regime" ) "=" ( "decode" | "prefill" )
//         | field ( "=" | ">=" | "<=" | ">" | "<" ) digits [ "k" | "M" | "G" ]
//   field = "layer" | "tokens" | "rows" | "columns" | "inner" | "elements" | "flops"
//         | "weight_bytes" | "m" | "n" | "k"     (* rows, columns, inner *)
//
// Commas inside () and [] belong to the regex, and so does one behind a backslash. Behind the
// targets named, those that come after the last of them in metal, parallel, simd, scalar are tried
// too: some op of a layer has always no kernel somewhere.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/policy/policy.h"

namespace infer {

// What the names of overrides begin with, each followed by the text that the user gave.
inline constexpr std::string_view kPlacePrefix = "place ";
inline constexpr std::string_view kTensorPrefix = "override-tensor ";
inline constexpr std::string_view kGpuLayersPrefix = "gpu-layers ";

// The rule of an override, named "place <text>". Errors say at which character.
absl::StatusOr<Rule> ParsePlaceRule(std::string_view text);

// At separators outside of () and [] and not behind a backslash. Empty parts are kept.
std::vector<std::string_view> SplitOutsideBrackets(std::string_view text, char separator);

}  // namespace infer
