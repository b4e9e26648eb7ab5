// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/prompt/line_source.h"

namespace infer {

struct InputMessage {
  InputLine::Kind kind = InputLine::Kind::kText;
  std::string text = {};
  bool quoted = false;    // written between """, so that it is no command whatever it says
  bool was_empty = true;  // kInterrupt: nothing had been typed
};

// Puts lines together to messages: a line is one, and so are the lines between """ and """.
class MessageReader {
 public:
  // `source` must outlive it. A message holds at most `limit_bytes`.
  MessageReader(LineSource* source, uint64_t limit_bytes)
      : source_(source), limit_bytes_(limit_bytes) {}

  // Returns kInvalidArgument for a message beyond the limit, and what the source returns.
  absl::StatusOr<InputMessage> Next(std::string_view prompt, std::string_view next_prompt);

 private:
  absl::StatusOr<InputMessage> Block(std::string first, std::string_view prompt);

  LineSource* source_;
  uint64_t limit_bytes_;
};

}  // namespace infer
