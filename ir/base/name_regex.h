// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace infer {

// A regular expression to be found in names, compiled once and shared by its copies. Patterns come
// from files and command lines, so one that would backtrack endlessly is cut off and matches
// nothing.
class NameRegex {
 public:
  NameRegex() = default;  // empty: found in every name
  static absl::StatusOr<NameRegex> Compile(std::string_view text);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  bool FoundIn(std::string_view name) const;

  bool operator==(const NameRegex& other) const { return text_ == other.text_; }

 private:
  struct Code;
  std::string text_;
  std::shared_ptr<const Code> code_;
};

}  // namespace infer
