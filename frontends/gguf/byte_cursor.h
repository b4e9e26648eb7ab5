// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/base/status_macros.h"

namespace infer {

static_assert(std::endian::native == std::endian::little,
              "GGUF numbers are read without byte swapping");

// Reads little-endian values in sequence and never past the end. Its errors name the file, the byte
// offset and the current place, so that callers add only what is wrong there. Owns nothing: file
// name and bytes must outlive it.
class ByteCursor {
 public:
  // `base` is the offset of bytes[0] in the file.
  ByteCursor(std::string_view file, std::span<const std::byte> bytes, uint64_t base = 0)
      : file_(file), bytes_(bytes), base_(base) {}

  // From here on at most `max_bytes` may be read, even if there are more.
  void LimitTo(uint64_t max_bytes);

  uint64_t offset() const { return base_ + position_; }
  uint64_t bytes_left() const { return bytes_.size() - position_; }
  std::string_view file() const { return file_; }

  // Sets what is being read, for messages: `key "general.name"`.
  void set_place(std::string place) {
    place_ = std::move(place);
    element_.reset();
  }
  // Sets the array element inside that place.
  void set_element(uint64_t index) { element_ = index; }
  void clear_element() { element_.reset(); }

  absl::StatusOr<std::span<const std::byte>> Take(uint64_t count_bytes, std::string_view what) {
    if (count_bytes > bytes_left()) return CutShort(count_bytes, what);
    const std::span<const std::byte> taken = bytes_.subspan(position_, count_bytes);
    position_ += count_bytes;
    return taken;
  }

  // Returns the bytes read since `offset`, which must be a former offset of this cursor.
  std::span<const std::byte> Since(uint64_t offset) const {
    return bytes_.subspan(offset - base_, this->offset() - offset);
  }

  template <class T>
  absl::StatusOr<T> Read(std::string_view what) {
    if (sizeof(T) > bytes_left()) return CutShort(sizeof(T), what);
    T value;
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }

  // Reads a length of 8 bytes and that many bytes of text. The view points into the bytes.
  absl::StatusOr<std::string_view> ReadString(std::string_view what, uint64_t max_bytes);

  // Reads `count` such strings and adds them to `out` unless it is null. A vocabulary has 300,000
  // of them: this builds a status only for an invalid one.
  absl::Status ReadStrings(uint64_t count, uint64_t max_bytes, std::vector<std::string_view>* out);

  // Returns an error at a byte of the file, in the current place.
  absl::Status Invalid(uint64_t offset, std::string_view message) const;
  // Returns an error saying that the file ends, or seems to end, before the `needed_bytes` expected
  // here.
  absl::Status CutShort(uint64_t needed_bytes, std::string_view what) const;

 private:
  std::string Prefix(uint64_t offset) const;

  std::string_view file_;
  std::span<const std::byte> bytes_;
  uint64_t base_;
  uint64_t position_ = 0;
  bool limited_ = false;  // whether LimitTo() has shortened bytes_
  std::string place_;
  std::optional<uint64_t> element_;
};

}  // namespace infer
