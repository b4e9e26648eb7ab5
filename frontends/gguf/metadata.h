// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "frontends/gguf/byte_cursor.h"
#include "frontends/gguf/value.h"

namespace infer {

struct MetadataEntry {
  std::string key;
  GgufValue value;
};

// The key/value pairs of a GGUF file, in the order of the file. Text and arrays are views into the
// file's bytes, which must outlive it.
//
// The getters require exactly the type that the format gives a key: a number of another width
// suggests that the writer meant something else. A missing key is kNotFound, a key of another type
// kInvalidArgument; both messages name the file, the key and the expected type.
class Metadata {
 public:
  // Reads `count` entries.
  static absl::StatusOr<Metadata> Read(ByteCursor& cursor, uint64_t count);

  std::span<const MetadataEntry> entries() const { return entries_; }
  const std::string& file() const { return file_; }
  // Returns nullptr if there is no such key.
  const MetadataEntry* Find(std::string_view key) const;
  bool Has(std::string_view key) const { return Find(key) != nullptr; }

  absl::StatusOr<uint16_t> GetUint16(std::string_view key) const;
  absl::StatusOr<uint32_t> GetUint32(std::string_view key) const;
  absl::StatusOr<int32_t> GetInt32(std::string_view key) const;
  absl::StatusOr<uint64_t> GetUint64(std::string_view key) const;
  absl::StatusOr<float> GetFloat32(std::string_view key) const;
  absl::StatusOr<bool> GetBool(std::string_view key) const;
  absl::StatusOr<std::string_view> GetString(std::string_view key) const;

  // Return `fallback` if there is no such key; a key of another type is still an error.
  absl::StatusOr<uint32_t> GetUint32Or(std::string_view key, uint32_t fallback) const;
  absl::StatusOr<float> GetFloat32Or(std::string_view key, float fallback) const;
  absl::StatusOr<bool> GetBoolOr(std::string_view key, bool fallback) const;
  absl::StatusOr<std::string_view> GetStringOr(std::string_view key,
                                               std::string_view fallback) const;

  absl::StatusOr<GgufArray> GetArray(std::string_view key, GgufType element_type) const;
  // Returns views into the file, one for each element.
  absl::StatusOr<std::vector<std::string_view>> GetStrings(std::string_view key) const;
  absl::StatusOr<std::vector<int32_t>> GetInt32s(std::string_view key) const;
  absl::StatusOr<std::vector<float>> GetFloat32s(std::string_view key) const;

  // Returns an error about the value of a key, for callers that know more than its type.
  absl::Status InvalidValue(std::string_view key, std::string_view message) const;

 private:
  absl::Status Add(ByteCursor& cursor, uint64_t index, uint64_t count);
  absl::StatusOr<const MetadataEntry*> Get(std::string_view key, GgufType type) const;
  template <class T>
  absl::StatusOr<std::vector<T>> GetNumbers(std::string_view key, GgufType element_type) const;

  std::string file_;
  std::vector<MetadataEntry> entries_;
  absl::flat_hash_map<std::string, size_t> index_;
};

}  // namespace infer
