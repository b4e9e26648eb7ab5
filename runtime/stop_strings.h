// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace infer {

inline constexpr size_t kMaxStopStrings = 16;
inline constexpr size_t kMaxStopStringBytes = 256;

// Finds stop strings in text that arrives in pieces. Text that may be the beginning of a stop
// string is held back until later pieces decide, so no part of a match is ever output. Works on
// bytes; if text and stop strings are UTF-8, it never splits a character that arrived whole.
//
// The stop string that completes first wins; if several complete at the same byte, the longest
// does.
class StopStrings {
 public:
  // Returns kInvalidArgument if there are too many, or if one is empty or too long.
  static absl::StatusOr<StopStrings> Create(std::vector<std::string> stops);

  // Returns the text that can be output now, valid until the next call; empty once a stop string
  // was found.
  std::string_view Push(std::string_view piece);
  // At the end of the text, returns what was held back; empty if a stop string was found.
  std::string_view Finish();

  // Index of the stop string that was found, in the order given to Create.
  std::optional<size_t> found() const { return found_; }

 private:
  // A stop string with its Knuth-Morris-Pratt table: borders[i] is the length of the longest proper
  // prefix that is also a suffix of the first i bytes.
  struct Pattern {
    std::string text;
    std::vector<uint16_t> borders;
    size_t matched_bytes = 0;  // longest prefix that is a suffix of the text so far
  };

  StopStrings() = default;
  // Advances every pattern by one byte. Returns the longest one that is now complete, if any.
  std::optional<size_t> Advance(char byte);
  size_t HeldBytes() const;

  std::vector<Pattern> patterns_;
  std::string held_;   // the end of the text, not yet output
  std::string ready_;  // the text that the last call returned
  std::optional<size_t> found_;
};

}  // namespace infer
