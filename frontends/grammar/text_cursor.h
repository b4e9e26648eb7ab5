// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer {

// A place in the text of a grammar or pattern that is being parsed.
class TextCursor {
 public:
  // Makes an error of what is wrong at byte `at` of `text`.
  using MakeError = absl::Status (*)(std::string_view text, size_t at, std::string_view what);

  TextCursor(std::string_view text, MakeError make_error) : text_(text), make_error_(make_error) {}

  bool Done() const { return at_ >= text_.size(); }
  // Returns the next byte; 0 at the end.
  char Peek() const { return Done() ? '\0' : text_[at_]; }
  // Moves over `wanted` if it is what follows.
  bool Take(std::string_view wanted) {
    if (!rest().starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  void Skip(size_t bytes = 1) { at_ += bytes; }

  std::string_view text() const { return text_; }
  std::string_view rest() const { return text_.substr(at_); }
  size_t at() const { return at_; }
  void set_at(size_t at) { at_ = at; }

  // Reads a character; fails where the text is not valid UTF-8. There must be one.
  absl::StatusOr<uint32_t> NextCodePoint();
  // Reads a number of this many hex digits.
  absl::StatusOr<uint32_t> Hex(int digits);

  absl::Status Error(std::string_view what) const { return ErrorAt(at_, what); }
  absl::Status ErrorAt(size_t at, std::string_view what) const {
    return make_error_(text_, at, what);
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
  MakeError make_error_;
};

}  // namespace infer
