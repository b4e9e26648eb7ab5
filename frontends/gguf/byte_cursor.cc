// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/byte_cursor.h"

#include "frontends/gguf/printable.h"
#include "ir/base/strings.h"

namespace infer {

std::string ByteCursor::Prefix(uint64_t offset) const {
  std::string prefix = StrCat(Printable(file_), ": byte ", offset, ": ");
  if (!place_.empty()) StrAppend(&prefix, place_, ": ");
  if (element_) StrAppend(&prefix, "element ", *element_, ": ");
  return prefix;
}

void ByteCursor::LimitTo(uint64_t max_bytes) {
  limited_ = bytes_.size() > max_bytes;
  if (limited_) bytes_ = bytes_.first(max_bytes);
}

absl::StatusOr<std::string_view> ByteCursor::ReadString(std::string_view what, uint64_t max_bytes) {
  const uint64_t at = offset();
  ASSIGN_OR_RETURN(const uint64_t length, Read<uint64_t>(what));
  if (length > max_bytes) {
    return Invalid(at, StrCat(what, " has ", length, " bytes, expected at most ", max_bytes));
  }
  if (length > bytes_left()) return CutShort(length, what);
  const char* text = reinterpret_cast<const char*>(bytes_.data() + position_);
  position_ += length;
  return std::string_view(text, length);
}

absl::Status ByteCursor::ReadStrings(uint64_t count, uint64_t max_bytes,
                                     std::vector<std::string_view>* out) {
  constexpr uint64_t kLengthBytes = sizeof(uint64_t);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t length = 0;
    const bool has_length = bytes_left() >= kLengthBytes;
    if (has_length) std::memcpy(&length, bytes_.data() + position_, kLengthBytes);
    if (!has_length || length > max_bytes || length > bytes_left() - kLengthBytes) {
      set_element(i);
      RETURN_IF_ERROR(ReadString("string", max_bytes).status());
      return Invalid(offset(), "the file changed while it was being read");
    }
    const char* text = reinterpret_cast<const char*>(bytes_.data() + position_ + kLengthBytes);
    if (out != nullptr) out->emplace_back(text, length);
    position_ += kLengthBytes + length;
  }
  return absl::OkStatus();
}

absl::Status ByteCursor::Invalid(uint64_t offset, std::string_view message) const {
  return absl::InvalidArgumentError(StrCat(Prefix(offset), message));
}

absl::Status ByteCursor::CutShort(uint64_t needed_bytes, std::string_view what) const {
  if (limited_) {
    return Invalid(offset(), StrCat(what, " needs ", needed_bytes, " bytes and reaches past byte ",
                                    base_ + bytes_.size(), ", the limit for the header"));
  }
  return absl::DataLossError(StrCat(Prefix(offset()), what, " needs ", needed_bytes,
                                    " bytes, but only ", bytes_left(),
                                    " are left in the file, which is truncated or damaged; "
                                    "download or convert it again"));
}

}  // namespace infer
