// SPDX-License-Identifier: Apache-2.0
//
// Formats counts, sizes and times for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ir/graph/shape.h"

namespace infer {

std::string ExactText(double number);    // "1,114,112"; "0.5"
std::string FlopsText(double flops);     // "131 kFLOP"
std::string BytesText(double bytes);     // "273 KiB"
std::string TimeText(double ns);         // "1.24 ms"; "-" for a missing estimate
std::string RangeText(const Range& of);  // "4..7", or "1" for one value

// Returns "lowest..highest", or a single value if both read the same.
std::string SpanText(const std::string& lowest, const std::string& highest);

// Formats ascending numbers with runs joined: "0..4, 6".
std::string LayersText(std::span<const int64_t> layers);

// Returns the columns that UTF-8 text takes in a terminal, assuming one per character.
size_t DisplayColumns(std::string_view text);
// Pads `text` with spaces on the right to this many columns.
std::string PadTo(std::string text, size_t columns);
// Pads with spaces on the left.
std::string PadLeft(const std::string& text, size_t columns);

}  // namespace infer
