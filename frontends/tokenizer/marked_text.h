// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace infer {

// Text that remembers which of its bytes came from a request. Text of a request never becomes a
// special token when it is encoded, so that a message cannot forge the end of its own turn.
class MarkedText {
 public:
  struct Range {
    size_t begin;
    size_t end;
    bool operator==(const Range&) const = default;
  };

  MarkedText() = default;
  // Trusted text, such as that of a template.
  explicit MarkedText(std::string text) : text_(std::move(text)) {}
  static MarkedText FromRequest(std::string text);

  const std::string& text() const { return text_; }
  size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }
  // Sorted, not empty, and with other text between any two.
  const std::vector<Range>& request_ranges() const { return request_; }

  void Append(const MarkedText& other) { Append(other, 0, other.size()); }
  // Appends the bytes [begin, end) of `other` with their marks.
  void Append(const MarkedText& other, size_t begin, size_t end);
  void AppendTrusted(std::string_view text) { text_ += text; }
  // Appends text that counts as from the request if `from_request`.
  void Append(std::string_view text, bool from_request);
  MarkedText Slice(size_t begin, size_t end) const;

  // Returns whether the byte at `position` came from the request.
  bool IsFromRequest(size_t position) const;

  // Returns the heap memory of this object.
  size_t memory_bytes() const { return text_.capacity() + request_.capacity() * sizeof(Range); }

 private:
  std::string text_;
  std::vector<Range> request_;
};

}  // namespace infer
