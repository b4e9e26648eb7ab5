// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frontends/gguf/reader.h"
#include "frontends/gguf/weights.h"
#include "tests/frontends/gguf/malformed_cases.h"
#include "tests/support/gguf_writer.h"

namespace infer {
namespace {

using test::GgufImage;
using test::MalformedCase;
using test::ScratchDir;
using test::SmallImage;
using ::testing::HasSubstr;
using ::testing::Not;

void ExpectHelpfulLine(const absl::Status& status, const std::string& file) {
  ASSERT_FALSE(status.ok());
  const std::string message(status.message());
  EXPECT_TRUE(absl::IsInvalidArgument(status) || absl::IsDataLoss(status)) << status;
  EXPECT_THAT(message, HasSubstr(file));
  EXPECT_THAT(message, HasSubstr(": byte "));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  EXPECT_LT(message.size(), 1000u) << message;
}

class Malformed : public ::testing::TestWithParam<MalformedCase> {};

TEST_P(Malformed, IsRefusedWithTheCause) {
  const ScratchDir dir;
  const std::string path = dir.Write("bad.gguf", GetParam().bytes());
  const absl::Status status = GgufFile::Open(path).status();
  ExpectHelpfulLine(status, path);
  EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(Gguf, Malformed, ::testing::ValuesIn(test::MalformedCases()),
                         [](const ::testing::TestParamInfo<MalformedCase>& tested) {
                           return std::string(tested.param.name);
                         });

TEST(MalformedCorpus, HasDistinctNamesAndFiles) {
  std::set<std::string_view> names;
  std::set<std::string> files;
  for (const MalformedCase& c : test::MalformedCases()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_TRUE(files.insert(c.bytes()).second) << c.name;
  }
  EXPECT_GE(names.size(), 80u);
}

// In memory of exactly that length, so that AddressSanitizer sees every byte read past the end.
std::vector<std::byte> Exactly(std::string_view bytes) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return std::vector<std::byte>(begin, begin + bytes.size());
}

// Touches all that a reader would: views, arrays, tensor data.
uint64_t ReadEverything(const std::shared_ptr<const GgufFile>& file) {
  uint64_t sum = 0;
  for (const MetadataEntry& entry : file->metadata().entries()) {
    if (const auto* text = std::get_if<std::string_view>(&entry.value.data)) {
      for (char c : *text) sum += static_cast<unsigned char>(c);
    } else if (const auto* array = std::get_if<GgufArray>(&entry.value.data)) {
      const auto elements = ArrayElements("f", *array, array->count);
      EXPECT_TRUE(elements.ok()) << elements.status();
      sum += elements->size();
    }
  }
  const GgufWeights weights(file);
  for (const WeightInfo& weight : weights.weights()) {
    EXPECT_EQ(weights.Data(weight).size(), weight.bytes);
    sum += weights.FullHash(weight) + weights.SampleHash(weight);
  }
  return sum;
}

TEST(MalformedCorpus, EveryTruncationIsRefused) {
  const std::string bytes = SmallImage().Bytes();
  const size_t data_end = bytes.size() - 16;  // the last tensor has 16 bytes and as many of padding
  for (size_t length = 0; length < data_end; ++length) {
    const std::vector<std::byte> cut = Exactly(bytes.substr(0, length));
    const absl::Status status = GgufFile::FromBytes("cut.gguf", cut).status();
    SCOPED_TRACE(length);
    ExpectHelpfulLine(status, "cut.gguf");
  }
  const std::vector<std::byte> whole = Exactly(bytes.substr(0, data_end));
  EXPECT_TRUE(GgufFile::FromBytes("whole.gguf", whole).ok());
}

TEST(MalformedCorpus, EveryBitFlipOfTheHeaderIsSurvived) {
  std::string bytes = SmallImage().Bytes();
  const size_t header_bytes = SmallImage().Header().size();
  int accepted = 0;
  int refused = 0;
  for (size_t bit = 0; bit < 8 * header_bytes; ++bit) {
    const char mask = static_cast<char>(1 << (bit % 8));
    bytes[bit / 8] ^= mask;
    const std::vector<std::byte> flipped = Exactly(bytes);
    const auto file = GgufFile::FromBytes("flip.gguf", flipped);
    SCOPED_TRACE(bit);
    if (file.ok()) {
      ReadEverything(*file);
      ++accepted;
    } else {
      ExpectHelpfulLine(file.status(), "flip.gguf");
      ++refused;
    }
    bytes[bit / 8] ^= mask;
  }
  // A flip in the text of a value is no defect; one in a length or a type nearly always is.
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(MalformedCorpus, EveryByteValueAtTheFixedFieldsIsSurvived) {
  std::string bytes = SmallImage().Bytes();
  for (size_t at = 0; at < SmallImage().Header().size(); ++at) {
    const char original = bytes[at];
    for (int value : {0, 1, 0x7f, 0x80, 0xff}) {
      bytes[at] = static_cast<char>(value);
      const std::vector<std::byte> changed = Exactly(bytes);
      if (const auto file = GgufFile::FromBytes("byte.gguf", changed); file.ok()) {
        ReadEverything(*file);
      }
    }
    bytes[at] = original;
  }
}

}  // namespace
}  // namespace infer
