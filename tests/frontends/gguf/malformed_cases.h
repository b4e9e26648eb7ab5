// SPDX-License-Identifier: Apache-2.0
//
// The corpus of files that must be refused, as data.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace infer::test {

struct MalformedCase {
  std::string_view name;
  std::function<std::string()> bytes;  // makes the file
  std::string_view message;            // a part of the message that says what is wrong
};

const std::vector<MalformedCase>& MalformedCases();

// How GoogleTest names a case.
inline void PrintTo(const MalformedCase& malformed, std::ostream* out) { *out << malformed.name; }

}  // namespace infer::test
