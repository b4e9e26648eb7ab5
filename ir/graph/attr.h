// SPDX-License-Identifier: Apache-2.0
//
// Attributes of nodes: small constants that are printed and stored without knowledge of the op.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace infer {

enum class AttrKind : uint8_t { kBool, kInt, kDouble, kString, kInts, kDoubles };

// The alternatives are in the order of AttrKind.
using Attr =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

inline AttrKind KindOf(const Attr& attr) { return static_cast<AttrKind>(attr.index()); }
// Returns the value that an optional attribute has where it is not written: false, 0 or empty.
Attr DefaultOf(AttrKind kind);
std::string_view Name(AttrKind kind);  // "bool", "int", ..., "doubles"

// Returns the shortest text that parses back to the same value: true, 5, 1e-06, "name", [1,2]. A
// double always has a point or an exponent, so that it cannot be mistaken for an int.
std::string ToString(const Attr& attr);
std::string ToString(double value);
// Returns the text in double quotes, with quotes, backslashes and everything but printable ASCII
// escaped.
std::string Quote(std::string_view text);

}  // namespace infer
