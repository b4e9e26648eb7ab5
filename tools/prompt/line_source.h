// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace infer {

struct InputLine {
  enum class Kind {
    kText,
    kEnd,        // the input has ended, or the user pressed Ctrl-D
    kInterrupt,  // the user pressed Ctrl-C
  };
  Kind kind = Kind::kText;
  std::string text = {};
  bool was_empty = true;  // kInterrupt: nothing had been typed
};

// Where a conversation reads from: an edited line of a terminal, or a pipe.
class LineSource {
 public:
  virtual ~LineSource() = default;

  // Returns the next line without its newline; a pasted line may hold newlines. `prompt` is shown
  // if somebody types. Returns kCancelled if a signal ends the program.
  virtual absl::StatusOr<InputLine> Next(std::string_view prompt) = 0;

  // Adds a text to what the arrow keys bring back.
  virtual void Remember(std::string_view /*text*/) {}
};

}  // namespace infer
