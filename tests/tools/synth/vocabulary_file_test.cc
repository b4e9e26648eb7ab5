// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/vocabulary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/synth/parsed_gguf.h"
#include "tools/synth/gguf_stream_writer.h"
#include "tools/synth/synthetic_vocabulary.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

std::string VocabularyBytes(const TestDirectory& directory, std::vector<GgufEntry> entries) {
  auto writer = GgufStreamWriter::Create(directory.Path("made"), entries, {});
  EXPECT_TRUE(writer.ok() && (*writer)->Finish().ok());
  return ReadWhole(directory.Path("made"));
}

absl::StatusOr<SynthVocabulary> LoadBytes(const TestDirectory& directory,
                                          const std::string& bytes) {
  std::ofstream(directory.Path("v"), std::ios::binary) << bytes;
  return VocabularyFile(directory.Path("v")).Load();
}

std::vector<GgufEntry> SmallEntries() {
  std::vector<GgufEntry> entries = {StringEntry("general.architecture", "qwen3")};
  for (GgufEntry& entry : VocabularyEntries(*SmallVocabulary().Load())) entries.push_back(entry);
  return entries;
}

TEST(VocabularyFile, CopiesEveryTokenizerEntryAndNothingElse) {
  TestDirectory directory;
  auto loaded = LoadBytes(directory, VocabularyBytes(directory, SmallEntries()));
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  const SynthVocabulary original = *SmallVocabulary().Load();
  EXPECT_EQ(loaded->tokens, original.tokens);
  EXPECT_EQ(loaded->types, original.types);
  ASSERT_EQ(loaded->other_entries.size(), original.other_entries.size());
  for (size_t i = 0; i < original.other_entries.size(); ++i) {
    EXPECT_EQ(loaded->other_entries[i].key, original.other_entries[i].key);
    EXPECT_EQ(loaded->other_entries[i].type, original.other_entries[i].type);
    EXPECT_EQ(loaded->other_entries[i].payload, original.other_entries[i].payload);
  }
}

TEST(VocabularyFile, EveryCutFileIsRefused) {
  TestDirectory directory;
  const std::vector<GgufEntry> entries = SmallEntries();
  const std::string bytes = VocabularyBytes(directory, entries);
  const size_t metadata_bytes = bytes.find_last_not_of('\0') + 1;
  for (size_t cut = 0; cut < metadata_bytes; cut += cut < 400 ? 1 : 97) {
    auto loaded = LoadBytes(directory, bytes.substr(0, cut));
    ASSERT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument) << cut;
    ASSERT_THAT(std::string(loaded.status().message()), HasSubstr(directory.Path("v")));
  }
}

TEST(VocabularyFile, MissingFileIsNotFound) {
  TestDirectory directory;
  EXPECT_EQ(VocabularyFile(directory.Path("none")).Load().status().code(),
            absl::StatusCode::kNotFound);
}

void ExpectRefused(const std::string& bytes, const char* reason) {
  TestDirectory directory;
  auto loaded = LoadBytes(directory, bytes);
  ASSERT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()), HasSubstr(reason));
}

// A file with one entry: the key, then `value` (type and payload).
std::string OneEntry(std::string_view key, const std::string& value) {
  std::string bytes = "GGUF";
  AppendUint32(&bytes, 3);
  AppendUint64(&bytes, 0);
  AppendUint64(&bytes, 1);
  AppendGgufString(&bytes, key);
  return bytes + value;
}

TEST(VocabularyFile, RefusesWhatIsNoVocabulary) {
  ExpectRefused(std::string("GGML") + std::string(40, '\0'), "does not begin with GGUF");
  ExpectRefused(std::string("GGUF\7\0\0\0", 8) + std::string(40, '\0'), "version 7");
  std::string type;
  AppendUint32(&type, 77);
  ExpectRefused(OneEntry("k", type), "value type 77 does not exist");
  std::string nested;
  for (uint32_t word : {9u, 9u, 1u, 0u}) AppendUint32(&nested, word);
  ExpectRefused(OneEntry("k", nested), "array of arrays");
  std::string large;
  for (uint32_t word : {9u, 4u}) AppendUint32(&large, word);
  AppendUint64(&large, uint64_t{1} << 62);
  ExpectRefused(OneEntry("k", large), "array of 4611686018427387904 values");
  std::string text;
  AppendUint32(&text, 8);
  AppendUint64(&text, ~uint64_t{0});
  ExpectRefused(OneEntry("k", text), "more than 256 MiB");
  std::string number;
  for (uint32_t word : {4u, 1u}) AppendUint32(&number, word);
  ExpectRefused(OneEntry("tokenizer.x", number), "no list tokenizer.ggml.tokens");
}

TEST(VocabularyFile, RefusesTypesThatDoNotMatchTheTokens) {
  TestDirectory directory;
  const std::vector<std::string> tokens = {"a", "b"};
  const std::vector<int32_t> types = {1};
  const std::string bytes =
      VocabularyBytes(directory, {StringsEntry("tokenizer.ggml.tokens", tokens),
                                  Int32sEntry("tokenizer.ggml.token_type", types)});
  ExpectRefused(bytes, "1 entries for 2 tokens");
}

}  // namespace
}  // namespace infer
