// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "frontends/gguf/reader.h"
#include "tests/support/gguf_writer.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MetadataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto file = GgufFile::FromBytes("m.gguf", std::as_bytes(std::span(bytes_)));
    ASSERT_TRUE(file.ok()) << file.status();
    file_ = *file;
  }
  const Metadata& metadata() const { return file_->metadata(); }

  std::string bytes_ = test::SmallImage().Bytes();
  std::shared_ptr<const GgufFile> file_;
};

template <class T>
T Held(const Metadata& metadata, std::string_view key) {
  return std::get<T>(metadata.Find(key)->value.data);
}

TEST_F(MetadataTest, HoldsAllThirteenTypes) {
  EXPECT_EQ(Held<uint64_t>(metadata(), "test.u8"), 200u);
  EXPECT_EQ(Held<int64_t>(metadata(), "test.i8"), -2);
  EXPECT_EQ(*metadata().GetUint16("test.u16"), 60000);
  EXPECT_EQ(Held<int64_t>(metadata(), "test.i16"), -2);
  EXPECT_EQ(*metadata().GetUint32("test.u32"), 4000000000u);
  EXPECT_EQ(*metadata().GetInt32("test.i32"), -2);
  EXPECT_EQ(*metadata().GetFloat32("test.f32"), 1.5f);
  EXPECT_EQ(*metadata().GetBool("test.bool"), true);
  EXPECT_EQ(*metadata().GetString("test.string"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(metadata().GetArray("test.numbers", GgufType::kI32)->count, 3u);
  EXPECT_EQ(*metadata().GetUint64("test.u64"), uint64_t{1} << 63);
  EXPECT_EQ(Held<int64_t>(metadata(), "test.i64"), -2);
  EXPECT_EQ(Held<double>(metadata(), "test.f64"), 0.1);
}

TEST_F(MetadataTest, KeepsTheOrderOfTheFile) {
  EXPECT_EQ(metadata().entries().size(), 18u);
  EXPECT_EQ(metadata().entries()[0].key, "general.architecture");
  EXPECT_EQ(metadata().entries()[17].key, "tokenizer.chat_template");
}

TEST_F(MetadataTest, TextIsAViewIntoTheFile) {
  const std::string_view text = *metadata().GetString("test.string");
  EXPECT_GE(text.data(), bytes_.data());
  EXPECT_LT(text.data(), bytes_.data() + bytes_.size());
}

TEST_F(MetadataTest, ReadsArrays) {
  EXPECT_THAT(*metadata().GetStrings("tokenizer.ggml.tokens"), ElementsAre("a", "", "bc"));
  EXPECT_THAT(*metadata().GetInt32s("test.numbers"), ElementsAre(1, 2, -1));
}

TEST_F(MetadataTest, NamesKeyAndBothTypesWhenTheTypeIsWrong) {
  const absl::Status status = metadata().GetUint32("test.u64").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("key \"test.u64\": has type u64, expected u32"));
  EXPECT_THAT(std::string(metadata().GetStrings("test.numbers").status().message()),
              HasSubstr("has type array of 3 x i32, expected array of string"));
  EXPECT_THAT(std::string(metadata().GetFloat32s("test.f32").status().message()),
              HasSubstr("has type f32, expected array"));
}

TEST_F(MetadataTest, NamesTheMissingKeyAndItsType) {
  const absl::Status status = metadata().GetBool("no.such").status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(status.message(), "m.gguf: key \"no.such\" is missing, expected a value of type bool");
}

TEST_F(MetadataTest, FallsBackOnlyWhenTheKeyIsMissing) {
  EXPECT_EQ(*metadata().GetUint32Or("no.such", 7), 7u);
  EXPECT_EQ(*metadata().GetUint32Or("test.u32", 7), 4000000000u);
  EXPECT_FALSE(metadata().GetUint32Or("test.string", 7).ok());
  EXPECT_EQ(*metadata().GetStringOr("no.such", "x"), "x");
  EXPECT_EQ(*metadata().GetFloat32Or("no.such", 2.0f), 2.0f);
  EXPECT_EQ(*metadata().GetBoolOr("no.such", true), true);
}

TEST_F(MetadataTest, ArrayThatChangesLaterIsRefusedAgain) {
  const GgufArray array = *metadata().GetArray("tokenizer.ggml.tokens", GgufType::kString);
  bytes_[array.offset] = '\x7f';  // the first string's length, as if another process wrote
  EXPECT_THAT(std::string(metadata().GetStrings("tokenizer.ggml.tokens").status().message()),
              HasSubstr("element 0: string needs 127 bytes"));
  EXPECT_FALSE(ArrayElements("m.gguf", array, 3).ok());
}

}  // namespace
}  // namespace infer
