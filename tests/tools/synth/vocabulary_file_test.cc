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
    ASSERT_FALSE(loaded.ok()) << cut;
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

// What is no GGUF file at all is the reader's to refuse and to test.
TEST(VocabularyFile, RefusesAFileWithoutTokens) {
  TestDirectory directory;
  EXPECT_EQ(LoadBytes(directory, VocabularyBytes(directory, {})).status().code(),
            absl::StatusCode::kNotFound);
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
