// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/bench/serve/sse_parser.h"

namespace infer::load {

// What an OpenAI-compatible server said about tokens.
struct Usage {
  int64_t prompt_tokens = -1;  // -1: not said
  int64_t output_tokens = -1;
  int64_t cached_tokens = -1;
};

// Reads the event stream of a completion: counts the events that carry text, and keeps usage, end
// and error.
class StreamReader {
 public:
  // Returns how many events with text the piece completed.
  int64_t Feed(std::string_view piece);

  const Usage& usage() const { return usage_; }
  bool is_done() const { return is_done_; }      // [DONE] was seen
  bool has_end() const { return has_end_; }      // a finish_reason was seen
  bool is_bad() const { return is_bad_; }        // an event is not JSON, or too large
  bool has_error() const { return has_error_; }  // an error object was sent

 private:
  bool ReadEvent(const std::string& data);

  SseParser events_;
  Usage usage_;
  bool is_done_ = false;
  bool has_end_ = false;
  bool is_bad_ = false;
  bool has_error_ = false;
};

// Reads the usage of a response that is not a stream; all -1 if it has none.
Usage UsageOf(const std::string& body);

}  // namespace infer::load
