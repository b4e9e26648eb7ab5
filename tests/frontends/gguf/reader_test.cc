// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/gguf_writer.h"

namespace infer {
namespace {

using test::Array;
using test::GgufImage;
using test::ScratchDir;
using test::SmallImage;
using test::Text;
using test::U16;
using test::U32;
using test::U64;
using test::U8;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const GgufFile> Accept(const GgufImage& image) {
  const ScratchDir dir;
  const auto file = GgufFile::Open(dir.Write("m.gguf", image.Bytes()));
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *file : nullptr;
}

TEST(Reader, GivesDimsOutermostFirst) {
  const auto file = Accept(SmallImage());
  ASSERT_NE(file, nullptr);
  EXPECT_THAT(file->Find("b.weight")->dims, ElementsAre(3, 32));
  EXPECT_EQ(file->Find("b.weight")->dtype, DType::kQ8_0);
  EXPECT_EQ(file->Find("b.weight")->bytes, 3u * 34);
  EXPECT_EQ(file->Find("none"), nullptr);
}

TEST(Reader, GivesTheBytesOfATensor) {
  const auto file = Accept(SmallImage());
  ASSERT_NE(file, nullptr);
  const std::span<const std::byte> data = file->Data(*file->Find("c.weight"));
  ASSERT_EQ(data.size(), 16u);
  EXPECT_EQ(data[0], std::byte{0x22});
  EXPECT_EQ(data[15], std::byte{0x22});
}

TEST(Reader, GivesNoBytesOutsideTheFile) {
  const auto file = Accept(SmallImage());
  ASSERT_NE(file, nullptr);
  WeightInfo wrong = *file->Find("c.weight");
  wrong.bytes = ~uint64_t{0};
  EXPECT_TRUE(file->Data(wrong).empty());
  wrong = *file->Find("c.weight");
  wrong.offset = ~uint64_t{0};
  EXPECT_TRUE(file->Data(wrong).empty());
  wrong = *file->Find("c.weight");
  wrong.file = 1;
  EXPECT_TRUE(file->Data(wrong).empty());
}

TEST(Reader, AcceptsVersion2) {
  GgufImage image = SmallImage();
  image.version = 2;
  ASSERT_NE(Accept(image), nullptr);
  EXPECT_EQ(Accept(image)->version(), 2u);
}

TEST(Reader, AcceptsEveryAlignment) {
  for (uint64_t alignment = 8; alignment <= 65536; alignment *= 2) {
    GgufImage image = SmallImage();
    image.alignment = alignment;
    image.Set("general.alignment", 4, U32(alignment));
    const auto file = Accept(image);
    ASSERT_NE(file, nullptr) << alignment;
    EXPECT_EQ(file->Find("b.weight")->offset % alignment, 0u);
    EXPECT_EQ(file->Data(*file->Find("c.weight"))[0], std::byte{0x22});
  }
}

TEST(Reader, AcceptsEmptyAndNestedArrays) {
  GgufImage image = SmallImage();
  for (uint32_t type = 0; type < 13; ++type) {
    image.Add("test.empty." + std::to_string(type), 9, Array(type, {}));
  }
  const std::string inner = Array(9, {Array(9, {Array(8, {Text("deep")})}), Array(0, {})});
  image.Add("test.nested", 9, Array(9, {inner, inner}));
  const auto file = Accept(image);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->metadata().GetArray("test.empty.8", GgufType::kString)->count, 0u);
  EXPECT_EQ(file->metadata().GetArray("test.nested", GgufType::kArray)->count, 2u);
}

TEST(Reader, AcceptsHolesAndAnyOrder) {
  GgufImage image = SmallImage();
  image.tensors[0].offset = 160;  // in c's place, and c in a's: 16 bytes where 32 are free
  image.tensors[2].offset = 0;
  image.tensors.push_back({"far.weight", {1}, 0, std::string(4096, '\5'), 192 + 1024, {}, {}});
  const auto file = Accept(image);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->Data(*file->Find("far.weight"))[0], std::byte{5});
}

TEST(Reader, AcceptsFilesWithoutTensorsOrKeys) {
  EXPECT_NE(Accept(GgufImage()), nullptr);
  GgufImage image = SmallImage();
  image.tensors.clear();
  EXPECT_NE(Accept(image), nullptr);
  image = SmallImage();
  image.metadata.clear();
  EXPECT_NE(Accept(image), nullptr);
}

TEST(Reader, AcceptsBytesAfterTheLastTensor) {
  GgufImage image = SmallImage();
  const std::string bytes = image.Bytes() + std::string(1000, 'x');
  EXPECT_TRUE(GgufFile::FromBytes("m", std::as_bytes(std::span(bytes))).ok());
}

TEST(Reader, AcceptsNumbersAtTheirLimits) {
  GgufImage image = SmallImage();
  image.Add(std::string(65535, 'k'), 0, U8(0));
  image.AddTensor(std::string(64, 'n'), {1, 1, 1, 1}, 0, U32(0));
  image.Set("tokenizer.chat_template", 8, Text(std::string(1 << 20, 't')));
  image.Set("tokenizer.ggml.tokens", 9, Array(8, {Text(std::string(65536, 't'))}));
  EXPECT_NE(Accept(image), nullptr);
}

TEST(Reader, AcceptsEveryTensorType) {
  GgufImage image;
  for (const DTypeInfo& type : AllDTypes()) {
    image.AddTensor(std::string(type.name), {type.block_elements, 2}, type.gguf_id,
                    std::string(2 * type.block_bytes, '\1'));
  }
  const auto file = Accept(image);
  ASSERT_NE(file, nullptr);
  for (const DTypeInfo& type : AllDTypes()) {
    ASSERT_NE(file->Find(type.name), nullptr) << type.name;
    EXPECT_EQ(file->Find(type.name)->dtype, type.dtype);
  }
}

TEST(Reader, HandlesManyKeysAndTensors) {
  GgufImage image;
  for (int i = 0; i < 65536; ++i) {
    image.Add("k." + std::to_string(i), 0, U8(0));
    image.AddTensor("t." + std::to_string(i), {1}, 0, U32(0));
  }
  const auto file = Accept(image);
  ASSERT_NE(file, nullptr);
  EXPECT_NE(file->Find("t.65535"), nullptr);
}

TEST(Reader, NamesFileInPathThatIsMissing) {
  const absl::Status status = GgufFile::Open("/no/such/model.gguf").status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(status.message(), "/no/such/model.gguf: no such file; check the path");
}

// Three arrays of 128 MiB that exist only as holes of the file.
TEST(Reader, RefusesHugeHeadersOfSparseFilesWithoutReadingThem) {
  const ScratchDir dir;
  GgufImage image;
  image.metadata_count = 3;
  const std::string path = dir.Write("sparse.gguf", image.Header());
  std::ofstream file(path, std::ios::binary | std::ios::in | std::ios::ate);
  for (const char* key : {"a", "b", "c"}) {
    file << Text(key) << U32(9) << U32(10) << U64(16 << 20);
    file.seekp((16 << 20) * 8, std::ios::cur);
  }
  file << "end";
  file.close();
  rusage before = {};
  getrusage(RUSAGE_SELF, &before);
  const absl::Status status = GgufFile::Open(path).status();
  rusage after = {};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_THAT(std::string(status.message()), HasSubstr("key \"b\""));
  EXPECT_THAT(std::string(status.message()), HasSubstr("past byte 268435456"));
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 << 10);  // KiB on Linux, bytes on macOS
}

TEST(Reader, IdentifiesTheModelByItsHeader) {
  const auto file = Accept(SmallImage());
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->model_ref().files.size(), 1u);
  EXPECT_EQ(file->model_ref().files[0].name, "m.gguf");
  EXPECT_EQ(file->model_ref().header_hash.size(), 32u);
  GgufImage other = SmallImage();
  EXPECT_EQ(Accept(other)->model_ref(), file->model_ref());
  other.Set("test.u8", 0, U8(201));
  EXPECT_NE(Accept(other)->model_ref().header_hash, file->model_ref().header_hash);
}

}  // namespace
}  // namespace infer
