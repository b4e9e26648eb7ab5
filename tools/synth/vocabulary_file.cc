// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/vocabulary_file.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "ir/status_macros.h"
#include "ir/strings.h"

namespace infer {
namespace {

// Far above any real tokenizer (Qwen3's has 6 MB); keeps a damaged length from filling the memory.
constexpr uint64_t kMaxMetadataBytes = 256u << 20;

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Bytes of a scalar value type, 0 for strings, arrays and unknown types.
uint32_t ScalarBytes(uint32_t type) {
  constexpr uint32_t kBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

// Reads metadata front to back. Every error names the file and the byte.
class MetadataReader {
 public:
  MetadataReader(const std::string& path, std::ifstream& file) : path_(path), file_(file) {}

  absl::Status Error(std::string_view what) const {
    return absl::InvalidArgumentError(
        StrCat(path_, ": byte ", position_, ": ", what, "; give a GGUF file with a tokenizer"));
  }

  absl::StatusOr<std::string> Bytes(uint64_t count) {
    if (count > kMaxMetadataBytes - position_) return Error("more than 256 MiB of metadata");
    std::string bytes;
    // In steps, so that a length beyond the end of the file costs no memory.
    constexpr uint64_t kStepBytes = 1u << 20;
    while (bytes.size() < count) {
      const size_t step = std::min<uint64_t>(kStepBytes, count - bytes.size());
      const size_t start = bytes.size();
      bytes.resize(start + step);
      if (!file_.read(bytes.data() + start, static_cast<std::streamsize>(step))) {
        return Error("the file ends inside its metadata");
      }
    }
    position_ += count;
    return bytes;
  }

  absl::StatusOr<uint64_t> Unsigned(int count) {
    ASSIGN_OR_RETURN(std::string bytes, Bytes(static_cast<uint64_t>(count)));
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }

  absl::StatusOr<std::string> String() {
    ASSIGN_OR_RETURN(uint64_t count, Unsigned(8));
    return Bytes(count);
  }

  // The bytes of a value as they stand in the file.
  absl::StatusOr<std::string> Payload(uint32_t type) {
    if (type == static_cast<uint32_t>(GgufValueType::kArray)) return ArrayPayload();
    if (type != static_cast<uint32_t>(GgufValueType::kString)) {
      if (ScalarBytes(type) == 0) return Error(StrCat("value type ", type, " does not exist"));
      return Bytes(ScalarBytes(type));
    }
    std::string payload;
    ASSIGN_OR_RETURN(std::string text, String());
    AppendGgufString(&payload, text);
    return payload;
  }

 private:
  absl::StatusOr<std::string> ArrayPayload() {
    ASSIGN_OR_RETURN(uint64_t type, Unsigned(4));
    ASSIGN_OR_RETURN(uint64_t count, Unsigned(8));
    std::string payload;
    AppendUint32(&payload, static_cast<uint32_t>(type));
    AppendUint64(&payload, count);
    if (type == static_cast<uint32_t>(GgufValueType::kArray)) return Error("an array of arrays");
    if (count > kMaxMetadataBytes) return Error(StrCat("an array of ", count, " values"));
    if (ScalarBytes(static_cast<uint32_t>(type)) != 0) {
      ASSIGN_OR_RETURN(std::string values, Bytes(count * ScalarBytes(static_cast<uint32_t>(type))));
      return payload + values;
    }
    for (uint64_t i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(std::string value, Payload(static_cast<uint32_t>(type)));
      payload += value;
    }
    return payload;
  }

  const std::string& path_;
  std::ifstream& file_;
  uint64_t position_ = 0;
};

uint64_t ReadUnsigned(std::string_view bytes, size_t at, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<size_t>(i)]);
  }
  return value;
}

bool IsArrayOf(const GgufEntry& entry, GgufValueType type) {
  return entry.type == static_cast<uint32_t>(GgufValueType::kArray) &&
         ReadUnsigned(entry.payload, 0, 4) == static_cast<uint32_t>(type);
}

constexpr size_t kArrayHeadBytes = 12;

// The payloads were checked when they were read: their lengths are true.
std::vector<std::string> DecodeStrings(std::string_view payload) {
  std::vector<std::string> values;
  for (size_t at = kArrayHeadBytes; at < payload.size();) {
    const uint64_t bytes = ReadUnsigned(payload, at, 8);
    values.emplace_back(payload.substr(at + 8, bytes));
    at += 8 + bytes;
  }
  return values;
}

std::vector<int32_t> DecodeInt32s(std::string_view payload) {
  std::vector<int32_t> values;
  for (size_t at = kArrayHeadBytes; at < payload.size(); at += 4) {
    values.push_back(static_cast<int32_t>(ReadUnsigned(payload, at, 4)));
  }
  return values;
}

absl::StatusOr<uint64_t> ReadHead(MetadataReader& reader) {
  ASSIGN_OR_RETURN(std::string magic, reader.Bytes(4));
  if (magic != "GGUF") return reader.Error("the file does not begin with GGUF");
  ASSIGN_OR_RETURN(uint64_t version, reader.Unsigned(4));
  if (version != 2 && version != 3)
    return reader.Error(StrCat("version ", version, ", not 2 or 3"));
  RETURN_IF_ERROR(reader.Unsigned(8).status());
  return reader.Unsigned(8);
}

}  // namespace

absl::StatusOr<SynthVocabulary> VocabularyFile::Load() const {
  std::ifstream file(path_, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(
        StrCat(path_, ": cannot open the vocabulary file: ", std::string_view(strerror(errno))));
  }
  MetadataReader reader(path_, file);
  ASSIGN_OR_RETURN(const uint64_t entries, ReadHead(reader));
  SynthVocabulary vocabulary;
  for (uint64_t i = 0; i < entries; ++i) {
    GgufEntry entry;
    ASSIGN_OR_RETURN(entry.key, reader.String());
    ASSIGN_OR_RETURN(uint64_t type, reader.Unsigned(4));
    entry.type = static_cast<uint32_t>(type);
    ASSIGN_OR_RETURN(entry.payload, reader.Payload(entry.type));
    if (!StartsWith(entry.key, "tokenizer.")) continue;
    if (entry.key == "tokenizer.ggml.tokens" && IsArrayOf(entry, GgufValueType::kString)) {
      vocabulary.tokens = DecodeStrings(entry.payload);
    } else if (entry.key == "tokenizer.ggml.token_type" &&
               IsArrayOf(entry, GgufValueType::kInt32)) {
      vocabulary.types = DecodeInt32s(entry.payload);
    } else {
      vocabulary.other_entries.push_back(std::move(entry));
    }
  }
  if (vocabulary.tokens.empty()) return reader.Error("no list tokenizer.ggml.tokens");
  if (vocabulary.types.size() != vocabulary.tokens.size()) {
    return reader.Error(StrCat("tokenizer.ggml.token_type has ", vocabulary.types.size(),
                               " entries for ", vocabulary.tokens.size(), " tokens"));
  }
  return vocabulary;
}

}  // namespace infer
