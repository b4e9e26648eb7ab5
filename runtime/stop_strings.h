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

// Finds stop strings in text that arrives in pieces. What may be the beginning of a stop string is
// held back until the next pieces decide, so no part of a match is ever handed out. Works on bytes;
// if text and stop strings are UTF-8, it never cuts a character that arrived whole.
//
// The stop string that is complete first wins; of several complete at the same byte, the longest.
class StopStrings {
 public:
  // kInvalidArgument if there are too many, or one is empty or too long.
  static absl::StatusOr<StopStrings> Create(std::vector<std::string> stops);

  // Text that can be shown now. Valid until the next call; empty once a stop string was found.
  std::string_view Push(std::string_view piece);
  // What was held back, at the end of the text. Empty if a stop string was found.
  std::string_view Finish();

  // Index of the stop string found, in the order given to Create.
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
  // Moves every pattern on by one byte. The longest one complete with it, if any.
  std::optional<size_t> Advance(char byte);
  size_t HeldBytes() const;

  std::vector<Pattern> patterns_;
  std::string held_;   // the end of the text that was not handed out
  std::string ready_;  // what the last call handed out
  std::optional<size_t> found_;
};

}  // namespace infer
