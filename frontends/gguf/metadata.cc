// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/metadata.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "frontends/gguf/limits.h"
#include "frontends/gguf/printable.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

absl::StatusOr<std::string_view> ReadKey(ByteCursor& cursor) {
  const uint64_t at = cursor.offset();
  ASSIGN_OR_RETURN(const std::string_view key, cursor.ReadString("key", gguf_limits::kMaxKeyBytes));
  if (key.empty()) return cursor.Invalid(at, "key is empty, expected 1 to 65535 bytes of ASCII");
  for (size_t i = 0; i < key.size(); ++i) {
    const auto byte = static_cast<unsigned char>(key[i]);
    if (byte != 0 && byte < 128) continue;
    return cursor.Invalid(at, StrCat("key ", Quoted(key), " has byte ", int{byte}, " at position ",
                                     i, ", expected ASCII without NUL"));
  }
  return key;
}

std::string TypeText(const GgufValue& value) {
  if (const auto* array = std::get_if<GgufArray>(&value.data)) {
    return StrCat("array of ", array->count, " x ", Name(array->element_type));
  }
  return std::string(Name(value.type));
}

}  // namespace

absl::StatusOr<Metadata> Metadata::Read(ByteCursor& cursor, uint64_t count) {
  Metadata metadata;
  metadata.file_ = std::string(cursor.file());
  for (uint64_t i = 0; i < count; ++i) RETURN_IF_ERROR(metadata.Add(cursor, i, count));
  return metadata;
}

absl::Status Metadata::Add(ByteCursor& cursor, uint64_t index, uint64_t count) {
  cursor.set_place(StrCat("metadata entry ", index + 1, " of ", count));
  const uint64_t at = cursor.offset();
  ASSIGN_OR_RETURN(const std::string_view key, ReadKey(cursor));
  cursor.set_place(StrCat("key ", Quoted(key)));
  const auto [found, is_new] = index_.try_emplace(std::string(key), entries_.size());
  if (!is_new) {
    return cursor.Invalid(at,
                          StrCat("key appears twice, first with its value at byte ",
                                 entries_[found->second].value.offset, "; expected each key once"));
  }
  ASSIGN_OR_RETURN(const GgufType type, ReadValueType(cursor, "value type"));
  ASSIGN_OR_RETURN(GgufValue value, ReadValue(cursor, type, LimitsForKey(key)));
  entries_.push_back({std::string(key), std::move(value)});
  return absl::OkStatus();
}

const MetadataEntry* Metadata::Find(std::string_view key) const {
  const auto found = index_.find(ToAbsl(key));
  return found == index_.end() ? nullptr : &entries_[found->second];
}

absl::Status Metadata::InvalidValue(std::string_view key, std::string_view message) const {
  const MetadataEntry* entry = Find(key);
  const std::string place = entry ? StrCat("byte ", entry->value.offset, ": ") : std::string();
  return absl::InvalidArgumentError(
      StrCat(Printable(file_), ": ", place, "key ", Quoted(key), ": ", message));
}

absl::StatusOr<const MetadataEntry*> Metadata::Get(std::string_view key, GgufType type) const {
  const MetadataEntry* entry = Find(key);
  if (entry == nullptr) {
    return absl::NotFoundError(StrCat(Printable(file_), ": key ", Quoted(key),
                                      " is missing, expected a value of type ", Name(type)));
  }
  if (entry->value.type != type) {
    return InvalidValue(key,
                        StrCat("has type ", TypeText(entry->value), ", expected ", Name(type)));
  }
  return entry;
}

absl::StatusOr<uint16_t> Metadata::GetUint16(std::string_view key) const {
  ASSIGN_OR_RETURN(const MetadataEntry* entry, Get(key, GgufType::kU16));
  return static_cast<uint16_t>(std::get<uint64_t>(entry->value.data));
}

absl::StatusOr<uint32_t> Metadata::GetUint32(std::string_view key) const {
  ASSIGN_OR_RETURN(const MetadataEntry* entry, Get(key, GgufType::kU32));
  return static_cast<uint32_t>(std::get<uint64_t>(entry->value.data));
}

absl::StatusOr<int32_t> Metadata::GetInt32(std::string_view key) const {
  ASSIGN_OR_RETURN(const MetadataEntry* entry, Get(key, GgufType::kI32));
  return static_cast<int32_t>(std::get<int64_t>(entry->value.data));
}

absl::StatusOr<uint64_t> Metadata::GetUint64(std::string_view key) const {
  ASSIGN_OR_RETURN(const MetadataEntry* entry, Get(key, GgufType::kU64));
  return std::get<uint64_t>(entry->value.data);
}

absl::StatusOr<float> Metadata::GetFloat32(std::string_view key) const {
  ASSIGN_OR_RETURN(const MetadataEntry* entry, Get(key, GgufType::kF32));
  return static_cast<float>(std::get<double>(entry->value.data));
}

absl::StatusOr<bool> Metadata::GetBool(std::string_view key) const {
  ASSIGN_OR_RETURN(const MetadataEntry* entry, Get(key, GgufType::kBool));
  return std::get<bool>(entry->value.data);
}

absl::StatusOr<std::string_view> Metadata::GetString(std::string_view key) const {
  ASSIGN_OR_RETURN(const MetadataEntry* entry, Get(key, GgufType::kString));
  return std::get<std::string_view>(entry->value.data);
}

absl::StatusOr<uint32_t> Metadata::GetUint32Or(std::string_view key, uint32_t fallback) const {
  return Has(key) ? GetUint32(key) : fallback;
}

absl::StatusOr<float> Metadata::GetFloat32Or(std::string_view key, float fallback) const {
  return Has(key) ? GetFloat32(key) : fallback;
}

absl::StatusOr<bool> Metadata::GetBoolOr(std::string_view key, bool fallback) const {
  return Has(key) ? GetBool(key) : fallback;
}

absl::StatusOr<std::string_view> Metadata::GetStringOr(std::string_view key,
                                                       std::string_view fallback) const {
  return Has(key) ? GetString(key) : fallback;
}

absl::StatusOr<GgufArray> Metadata::GetArray(std::string_view key, GgufType element_type) const {
  ASSIGN_OR_RETURN(const MetadataEntry* entry, Get(key, GgufType::kArray));
  const auto& array = std::get<GgufArray>(entry->value.data);
  if (array.element_type != element_type) {
    return InvalidValue(key, StrCat("has type ", TypeText(entry->value), ", expected array of ",
                                    Name(element_type)));
  }
  return array;
}

absl::StatusOr<std::vector<std::string_view>> Metadata::GetStrings(std::string_view key) const {
  ASSIGN_OR_RETURN(const GgufArray array, GetArray(key, GgufType::kString));
  ByteCursor cursor(file_, array.bytes, array.offset);
  cursor.set_place(StrCat("key ", Quoted(key)));
  std::vector<std::string_view> strings;
  strings.reserve(array.count);
  RETURN_IF_ERROR(cursor.ReadStrings(array.count, gguf_limits::kMaxStringBytes, &strings));
  return strings;
}

template <class T>
absl::StatusOr<std::vector<T>> Metadata::GetNumbers(std::string_view key,
                                                    GgufType element_type) const {
  ASSIGN_OR_RETURN(const GgufArray array, GetArray(key, element_type));
  std::vector<T> numbers(array.count);
  if (!numbers.empty()) std::memcpy(numbers.data(), array.bytes.data(), array.bytes.size());
  return numbers;
}

absl::StatusOr<std::vector<int32_t>> Metadata::GetInt32s(std::string_view key) const {
  return GetNumbers<int32_t>(key, GgufType::kI32);
}

absl::StatusOr<std::vector<float>> Metadata::GetFloat32s(std::string_view key) const {
  return GetNumbers<float>(key, GgufType::kF32);
}

}  // namespace infer
