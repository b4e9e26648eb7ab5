// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "frontends/gguf/reader.h"
#include "frontends/gguf/weights.h"
#include "tests/support/file_time.h"
#include "tests/support/gguf_writer.h"

namespace infer {
namespace {

using test::ScratchDir;
using ::testing::HasSubstr;

constexpr size_t kBytes = 1 << 20;

uint64_t Sum(std::span<const std::byte> bytes) {
  uint64_t sum = 0;
  for (std::byte b : bytes) sum += static_cast<uint64_t>(b);
  return sum;
}

TEST(MappedFile, ShowsTheFile) {
  const ScratchDir dir;
  absl::StatusOr<MappedFile> file = MappedFile::Open(dir.Write("f", "hello"));
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(file->bytes().size(), 5u);
  EXPECT_EQ(static_cast<char>(file->bytes()[1]), 'e');
  const MappedFile moved = *std::move(file);
  EXPECT_EQ(static_cast<char>(moved.bytes()[4]), 'o');
  EXPECT_TRUE(moved.Check().ok());
}

TEST(MappedFile, PartsCanBeReleasedAndReadAhead) {
  const ScratchDir dir;
  const absl::StatusOr<MappedFile> file = MappedFile::Open(dir.Write("f", std::string(kBytes, 2)));
  ASSERT_TRUE(file.ok()) << file.status();
  for (const auto& [begin, bytes] :
       {std::pair<size_t, size_t>{0, kBytes}, {1, 10}, {4095, 3}, {5000, 70000}, {kBytes, 0}}) {
    MappedFile::Release(file->bytes().subspan(begin, bytes));
    MappedFile::Prefetch(file->bytes().subspan(begin, bytes));
    EXPECT_EQ(Sum(file->bytes()), 2 * kBytes);
  }
}

// Also if the time of its last change is set back.
TEST(MappedFile, WritingChangesTheStamp) {
  const ScratchDir dir;
  const std::string path = dir.Write("f", "hello");
  const absl::StatusOr<MappedFile> file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  const FileStamp first = file->Stamp();
  EXPECT_EQ(first.bytes, 5u);
  EXPECT_NE(first.inode, 0u);
  EXPECT_EQ(file->Stamp(), first);
  const auto time = std::filesystem::last_write_time(path);
  AwaitNextFileTime(dir.path());
  dir.Write("f", "Hello");
  std::filesystem::last_write_time(path, time);
  EXPECT_EQ(file->Stamp().bytes, first.bytes);
  EXPECT_EQ(file->Stamp().inode, first.inode);
  EXPECT_EQ(file->Stamp().modified_ns, first.modified_ns);
  EXPECT_NE(file->Stamp(), first);
}

TEST(MappedFile, RefusesWhatIsNoRegularFile) {
  const ScratchDir dir;
  EXPECT_TRUE(absl::IsNotFound(MappedFile::Open(dir.path() + "/none").status()));
  EXPECT_TRUE(absl::IsNotFound(MappedFile::Open("").status()));
  const absl::Status folder = MappedFile::Open(dir.path()).status();
  EXPECT_TRUE(absl::IsInvalidArgument(folder));
  EXPECT_THAT(std::string(folder.message()), HasSubstr("is a directory"));
  const std::string pipe = dir.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(std::string(MappedFile::Open(pipe).status().message()), HasSubstr("is a pipe"));
}

TEST(MappedFile, ShrinkingIsAnErrorAndNoSignal) {
  const ScratchDir dir;
  const std::string path = dir.Write("f", std::string(kBytes, '\1'));
  const absl::StatusOr<MappedFile> file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(Sum(file->bytes()), kBytes);
  std::filesystem::resize_file(path, kBytes / 2);
  EXPECT_EQ(Sum(file->bytes()), kBytes / 2);
  EXPECT_TRUE(absl::IsDataLoss(file->Check()));
  EXPECT_THAT(std::string(file->Check().message()), HasSubstr("has 524288 bytes now, but had"));
}

TEST(MappedFile, StaysDamagedWhenTheLengthComesBack) {
  const ScratchDir dir;
  const std::string path = dir.Write("f", std::string(kBytes, '\1'));
  const absl::StatusOr<MappedFile> file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok());
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(Sum(file->bytes()), 0u);
  std::filesystem::resize_file(path, kBytes);
  EXPECT_THAT(std::string(file->Check().message()), HasSubstr("could not be read"));
}

TEST(MappedFile, OnlyTheShrunkFileIsDamaged) {
  const ScratchDir dir;
  const std::string path = dir.Write("a", std::string(kBytes, '\1'));
  const absl::StatusOr<MappedFile> shrunk = MappedFile::Open(path);
  const absl::StatusOr<MappedFile> other =
      MappedFile::Open(dir.Write("b", std::string(kBytes, '\2')));
  std::filesystem::resize_file(path, 10);
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] { EXPECT_EQ(Sum(shrunk->bytes()), 10u); });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(Sum(other->bytes()), 2 * kBytes);
  EXPECT_FALSE(shrunk->Check().ok());
  EXPECT_TRUE(other->Check().ok());
}

TEST(MappedFile, DeletingOrReplacingKeepsTheOldFile) {
  const ScratchDir dir;
  const std::string path = dir.Write("f", std::string(kBytes, '\1'));
  const absl::StatusOr<MappedFile> file = MappedFile::Open(path);
  std::filesystem::rename(dir.Write("new", "short"), path);
  EXPECT_EQ(Sum(file->bytes()), kBytes);
  EXPECT_TRUE(file->Check().ok());
}

TEST(MappedFileDeathTest, ForeignSignalsStillEndTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        signal(SIGBUS, SIG_DFL);
        const ScratchDir dir;
        const absl::StatusOr<MappedFile> file = MappedFile::Open(dir.Write("f", "x"));
        kill(getpid(), SIGBUS);
        _exit(file.ok() ? 0 : 1);
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

TEST(MappedFile, ShrunkModelReadsAsZerosAndSaysSo) {
  const ScratchDir dir;
  test::GgufImage image = test::SmallImage();
  image.AddTensor("big.weight", {1 << 18}, 0, std::string(kBytes, '\1'));
  const std::string path = dir.Write("m.gguf", image.Bytes());
  const auto file = GgufFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  const GgufWeights weights(*file);
  const WeightInfo* big = weights.Find("big.weight");
  ASSERT_NE(big, nullptr);
  EXPECT_TRUE(weights.Check().ok());
  std::filesystem::resize_file(path, big->offset);
  EXPECT_EQ(Sum(weights.Data(*big)), 0u);
  EXPECT_TRUE(absl::IsDataLoss(weights.Check()));
  EXPECT_THAT(std::string(weights.Check().message()), HasSubstr(path));
}

}  // namespace
}  // namespace infer
