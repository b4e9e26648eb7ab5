// SPDX-License-Identifier: Apache-2.0
//
// Counts, sizes and times as people read them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ir/graph/shape.h"

namespace infer {

std::string ExactText(double number);    // "1,114,112"; "0.5"
std::string FlopsText(double flops);     // "131 kFLOP"
std::string BytesText(double bytes);     // "273 KiB"
std::string TimeText(double ns);         // "1.24 ms"; "-" for an estimate that is not there
std::string RangeText(const Range& of);  // "4..7", or "1" for one value

// "lowest..highest", or one of them where both read the same.
std::string SpanText(const std::string& lowest, const std::string& highest);

// Ascending numbers with runs joined: "0..4, 6".
std::string LayersText(std::span<const int64_t> layers);

// Columns that UTF-8 text takes in a terminal, where each character takes one.
size_t DisplayColumns(std::string_view text);
// `text` with spaces behind it up to so many columns.
std::string PadTo(std::string text, size_t columns);
// The same with spaces before it.
std::string PadLeft(const std::string& text, size_t columns);

}  // namespace infer
