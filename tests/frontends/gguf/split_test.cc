// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "frontends/gguf/reader.h"
#include "tests/support/gguf_writer.h"

namespace infer {
namespace {

using test::F32;
using test::GgufImage;
using test::ScratchDir;
using test::SmallImage;
using test::Text;
using test::U16;
using test::U32;
using ::testing::HasSubstr;

TEST(SplitPath, IsFoundInTheName) {
  const auto split = ParseSplitPath("dir/model-q8_0-00002-of-00003.gguf");
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->prefix, "dir/model-q8_0");
  EXPECT_EQ(split->number, 2u);
  EXPECT_EQ(split->count, 3u);
  EXPECT_EQ(SiblingPath(*split, 3), "dir/model-q8_0-00003-of-00003.gguf");
}

TEST(SplitPath, IsNotFoundInOtherNames) {
  for (std::string_view path :
       {"model.gguf", "-0001-of-0003.gguf", "m-00000-of-00003.gguf", "m-00004-of-00003.gguf",
        "m-00001-of-00003.bin", "m-0000x-of-00003.gguf", "m-+0001-of-00003.gguf",
        "m_00001-of-00003.gguf", ""}) {
    EXPECT_FALSE(ParseSplitPath(path).has_value()) << path;
  }
}

// A set of three files: the metadata in the first, one tensor in each.
std::vector<GgufImage> ThreeParts() {
  std::vector<GgufImage> parts(3);
  for (uint64_t i = 0; i < 3; ++i) {
    parts[i].Add("split.no", 2, U16(i));
    parts[i].Add("split.count", 2, U16(3));
    parts[i].Add("split.tensors.count", 5, U32(3));
    parts[i].AddTensor("t." + std::to_string(i), {1}, 0, F32(static_cast<float>(i)));
  }
  parts[0].Add("general.name", 8, Text("whole"));
  return parts;
}

std::string PartPath(const ScratchDir& dir, int number) {
  return dir.path() + "/m-0000" + std::to_string(number) + "-of-00003.gguf";
}

void WriteParts(const ScratchDir& dir, const std::vector<GgufImage>& parts) {
  for (int i = 0; i < 3; ++i) {
    dir.Write("m-0000" + std::to_string(i + 1) + "-of-00003.gguf", parts[i].Bytes());
  }
}

TEST(SplitSet, OpensFromAnyOfItsFiles) {
  const ScratchDir dir;
  WriteParts(dir, ThreeParts());
  std::string hash;
  for (int number : {1, 2, 3}) {
    const auto file = GgufFile::Open(PartPath(dir, number));
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ((*file)->tensors().size(), 3u);
    EXPECT_EQ(*(*file)->metadata().GetString("general.name"), "whole");
    EXPECT_EQ((*file)->model_ref().files.size(), 3u);
    EXPECT_EQ((*file)->model_ref().files[2].name, "m-00003-of-00003.gguf");
    const WeightInfo* last = (*file)->Find("t.2");
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last->file, 2);
    float value = 0;
    std::memcpy(&value, (*file)->Data(*last).data(), sizeof(value));
    EXPECT_EQ(value, 2.0f);
    if (number == 1) hash = (*file)->model_ref().header_hash;
    EXPECT_EQ((*file)->model_ref().header_hash, hash);
  }
}

TEST(SplitSet, SingleFileWithSplitKeysOpens) {
  const ScratchDir dir;
  GgufImage image = SmallImage();
  image.Add("split.no", 2, U16(0));
  image.Add("split.count", 2, U16(1));
  image.Add("split.tensors.count", 5, U32(3));
  EXPECT_TRUE(GgufFile::Open(dir.Write("any.gguf", image.Bytes())).ok());
}

TEST(SplitSet, ShrinkingOfAnyFileIsFound) {
  const ScratchDir dir;
  WriteParts(dir, ThreeParts());
  const auto file = GgufFile::Open(PartPath(dir, 1));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE((*file)->Check().ok());
  std::filesystem::resize_file(PartPath(dir, 3), 10);
  EXPECT_THAT(std::string((*file)->Check().message()), HasSubstr("m-00003-of-00003.gguf"));
}

struct SplitDefect {
  std::string_view name;
  std::function<void(const ScratchDir&, std::vector<GgufImage>&)> change;
  std::string_view message;
};

const SplitDefect kDefects[] = {
    {"count_differs",
     [](const ScratchDir&, auto& parts) { parts[1].Set("split.count", 2, U16(4)); },
     "key \"split.count\": is 4, expected 3"},
    {"number_differs", [](const ScratchDir&, auto& parts) { parts[1].Set("split.no", 2, U16(2)); },
     "key \"split.no\": is 2, expected 1"},
    {"first_says_second",
     [](const ScratchDir&, auto& parts) { parts[0].Set("split.no", 2, U16(1)); },
     "key \"split.no\": is 1, expected 0"},
    {"tensors_differ",
     [](const ScratchDir&, auto& parts) { parts[2].Set("split.tensors.count", 5, U32(9)); },
     "key \"split.tensors.count\": is 9, expected 3"},
    {"tensor_missing", [](const ScratchDir&, auto& parts) { parts[2].tensors.clear(); },
     "is 3, but the files have 2 tensors"},
    {"tensor_twice", [](const ScratchDir&, auto& parts) { parts[2].tensors[0].name = "t.0"; },
     "tensor \"t.0\": is also in"},
    {"keys_missing", [](const ScratchDir&, auto& parts) { parts[1].metadata.clear(); },
     "key \"split.count\": is 1, expected 3"},
    {"part_damaged", [](const ScratchDir&, auto& parts) { parts[1].magic = "GGUG"; },
     "m-00002-of-00003.gguf: byte 0"},
    {"part_of_older_version", [](const ScratchDir&, auto& parts) { parts[1].version = 1; },
     "m-00002-of-00003.gguf: byte 4"},
};

TEST(SplitSet, RefusesFilesThatDoNotBelongTogether) {
  for (const SplitDefect& defect : kDefects) {
    SCOPED_TRACE(defect.name);
    const ScratchDir dir;
    std::vector<GgufImage> parts = ThreeParts();
    defect.change(dir, parts);
    WriteParts(dir, parts);
    const absl::Status status = GgufFile::Open(PartPath(dir, 1)).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(defect.message)));
  }
}

TEST(SplitSet, NamesTheMissingFile) {
  const ScratchDir dir;
  WriteParts(dir, ThreeParts());
  std::filesystem::remove(PartPath(dir, 2));
  const absl::Status status = GgufFile::Open(PartPath(dir, 3)).status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("is file 3 of 3, but"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("m-00002-of-00003.gguf is missing"));
}

TEST(SplitSet, RefusesAPartInMemory) {
  const std::string bytes = ThreeParts()[0].Bytes();
  EXPECT_THAT(
      std::string(GgufFile::FromBytes("m", std::as_bytes(std::span(bytes))).status().message()),
      HasSubstr("expected 1 for a model in memory"));
}

}  // namespace
}  // namespace infer
