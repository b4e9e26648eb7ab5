// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace infer::load {

// Splits a stream of server-sent events into the data of each. Comments and other fields are
// skipped; lines may end with \n, \r\n or \r, and pieces may end anywhere.
class SseParser {
 public:
  static constexpr size_t kMaxEventBytes = 16 << 20;

  // Returns the data of the events that `piece` completes. After an event larger than
  // kMaxEventBytes nothing more is read.
  std::vector<std::string> Feed(std::string_view piece);
  bool is_too_large() const { return is_too_large_; }

 private:
  void EndLine(std::vector<std::string>* events);

  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool after_return_ = false;
  bool is_too_large_ = false;
};

}  // namespace infer::load
