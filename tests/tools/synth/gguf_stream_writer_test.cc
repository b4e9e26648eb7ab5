// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/gguf_stream_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "tests/tools/synth/parsed_gguf.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<GgufEntry> kEntries = {StringEntry("general.name", "x"), Uint32Entry("n", 7)};
const std::vector<GgufTensor> kTensors = {{"a", DType::kF32, {3}}, {"b", DType::kQ8_0, {64, 3}}};
constexpr size_t kBytesOfA = 12, kBytesOfB = 204;

std::vector<std::byte> Pattern(size_t bytes, int start) {
  std::vector<std::byte> out(bytes);
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(start + static_cast<int>(i));
  return out;
}

absl::Status WriteInPieces(const std::string& path, size_t piece_bytes) {
  auto writer = GgufStreamWriter::Create(path, kEntries, kTensors);
  if (!writer.ok()) return writer.status();
  for (const std::vector<std::byte>& data : {Pattern(kBytesOfA, 1), Pattern(kBytesOfB, 50)}) {
    for (size_t at = 0; at < data.size(); at += piece_bytes) {
      const size_t bytes = std::min(piece_bytes, data.size() - at);
      absl::Status status = (*writer)->Append(std::span(data).subspan(at, bytes));
      if (!status.ok()) return status;
    }
  }
  EXPECT_EQ((*writer)->written_bytes(), (*writer)->file_bytes());
  return (*writer)->Finish();
}

TEST(GgufStreamWriter, WritesHeaderIndexAndAlignedTensors) {
  TestDirectory directory;
  ASSERT_TRUE(WriteInPieces(directory.Path("m"), 1000).ok());
  const std::string bytes = ReadWhole(directory.Path("m"));
  const ParsedGguf parsed = ParseGguf(bytes);
  EXPECT_THAT(parsed.keys, ElementsAre("general.name", "n"));
  EXPECT_EQ(parsed.values.at("n").number, 7u);
  ASSERT_EQ(parsed.tensors.size(), 2u);
  EXPECT_THAT(parsed.tensors[1].dims, ElementsAre(64, 3));
  EXPECT_EQ(parsed.tensors[1].type, 8u);
  EXPECT_EQ(parsed.tensors[1].offset, 32u);
  EXPECT_EQ(bytes.size(), parsed.data_start + 32 + 224);
  EXPECT_EQ(bytes[parsed.data_start], 1);
  EXPECT_EQ(bytes[parsed.data_start + kBytesOfA], 0);
  EXPECT_EQ(bytes[parsed.data_start + 32], 50);
  EXPECT_THAT(directory.Files(), ElementsAre("m"));
}

TEST(GgufStreamWriter, PiecesDoNotShowInTheFile) {
  TestDirectory directory;
  ASSERT_TRUE(WriteInPieces(directory.Path("whole"), 1000).ok());
  ASSERT_TRUE(WriteInPieces(directory.Path("bytes"), 1).ok());
  EXPECT_EQ(ReadWhole(directory.Path("whole")), ReadWhole(directory.Path("bytes")));
}

TEST(GgufStreamWriter, UnfinishedFileLeavesNothingAndKeepsTheOldOne) {
  TestDirectory directory;
  std::ofstream(directory.Path("m")) << "old";
  {
    auto writer = GgufStreamWriter::Create(directory.Path("m"), kEntries, kTensors);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Append(Pattern(kBytesOfA, 0)).ok());
    EXPECT_EQ((*writer)->Finish().code(), absl::StatusCode::kInternal);
  }
  EXPECT_THAT(directory.Files(), ElementsAre("m"));
  EXPECT_EQ(ReadWhole(directory.Path("m")), "old");
}

TEST(GgufStreamWriter, RefusesMoreBytesThanATensorHas) {
  TestDirectory directory;
  auto writer = GgufStreamWriter::Create(directory.Path("m"), kEntries, kTensors);
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ((*writer)->Append(Pattern(kBytesOfA + 1, 0)).code(), absl::StatusCode::kInternal);
}

TEST(GgufStreamWriter, FullDiskIsAnErrorAndLeavesNoFile) {
  TestDirectory directory;
  // A limit on file sizes stands in for a full disk: write() fails in the same place.
  rlimit saved;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &saved), 0);
  auto* saved_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {256, saved.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = WriteInPieces(directory.Path("m"), 64);
  setrlimit(RLIMIT_FSIZE, &saved);
  std::signal(SIGXFSZ, saved_handler);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot write byte 256 of "));
  EXPECT_THAT(directory.Files(), IsEmpty());
}

TEST(GgufStreamWriter, RefusesPathsThatCannotHoldAFile) {
  TestDirectory directory;
  for (const std::string& path :
       {directory.Path("missing/m"), std::string("/dev/null"), directory.Path("")}) {
    auto writer = GgufStreamWriter::Create(path, kEntries, kTensors);
    EXPECT_EQ(writer.status().code(), absl::StatusCode::kFailedPrecondition) << path;
    EXPECT_THAT(std::string(writer.status().message()), HasSubstr(path));
  }
  EXPECT_TRUE(Exists("/dev/null"));
  EXPECT_THAT(directory.Files(), IsEmpty());
}

TEST(GgufStreamWriter, RefusesTensorsThatCannotBe) {
  TestDirectory directory;
  const std::vector<std::vector<GgufTensor>> cases = {
      {{"same", DType::kF32, {1}}, {"same", DType::kF32, {1}}},
      {{"ragged", DType::kQ4_K, {128, 2}}},
      {{"nothing", DType::kF32, {}}},
      {{"huge", DType::kF32, {1ull << 32, 1ull << 32}}},
      {{"large", DType::kF32, {1ull << 61}}},
  };
  for (const std::vector<GgufTensor>& tensors : cases) {
    auto writer = GgufStreamWriter::Create(directory.Path("m"), kEntries, tensors);
    EXPECT_EQ(writer.status().code(), absl::StatusCode::kInvalidArgument) << tensors[0].name;
    EXPECT_THAT(std::string(writer.status().message()), HasSubstr(tensors[0].name));
  }
  EXPECT_THAT(directory.Files(), IsEmpty());
}

}  // namespace
}  // namespace infer
