// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/vocabulary_file.h"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "frontends/gguf/reader.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the bytes of a value as stored in the file.
std::string Payload(const GgufFile& file, const GgufValue& value) {
  std::string payload;
  if (const auto* array = std::get_if<GgufArray>(&value.data)) {
    AppendUint32(&payload, static_cast<uint32_t>(array->element_type));
    AppendUint64(&payload, array->count);
    payload += Text(array->bytes);
  } else if (const auto* text = std::get_if<std::string_view>(&value.data)) {
    AppendGgufString(&payload, *text);
  } else {
    payload += Text(file.files()[0].bytes.subspan(value.offset, MinBytes(value.type)));
  }
  return payload;
}

}  // namespace

absl::StatusOr<SynthVocabulary> VocabularyFile::Load() const {
  ASSIGN_OR_RETURN(std::shared_ptr<const GgufFile> file, GgufFile::Open(path_));
  const Metadata& metadata = file->metadata();
  SynthVocabulary vocabulary;
  ASSIGN_OR_RETURN(auto tokens, metadata.GetStrings("tokenizer.ggml.tokens"));
  vocabulary.tokens.assign(tokens.begin(), tokens.end());
  ASSIGN_OR_RETURN(vocabulary.types, metadata.GetInt32s("tokenizer.ggml.token_type"));
  if (vocabulary.types.size() != vocabulary.tokens.size()) {
    return metadata.InvalidValue("tokenizer.ggml.token_type",
                                 StrCat("has ", vocabulary.types.size(), " entries for ",
                                        vocabulary.tokens.size(), " tokens"));
  }
  for (const MetadataEntry& entry : metadata.entries()) {
    bool apart = entry.key == "tokenizer.ggml.tokens" || entry.key == "tokenizer.ggml.token_type";
    if (!entry.key.starts_with("tokenizer.") || apart) continue;
    vocabulary.other_entries.push_back(
        {entry.key, static_cast<uint32_t>(entry.value.type), Payload(*file, entry.value)});
  }
  return vocabulary;
}

}  // namespace infer
