// SPDX-License-Identifier: Apache-2.0
#include "runtime/pack_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kKey = 7;

class PackCacheTest : public ::testing::Test {
 protected:
  // A folder of its own for each case: cases run at the same time.
  PackCacheTest()
      : folder_(::testing::TempDir() + "/pack_cache_" +
                ::testing::UnitTest::GetInstance()->current_test_info()->name()),
        path_(folder_ + "/weights.pack") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }

  // More than one piece, so that several checksums are joined.
  static std::vector<std::byte> Weights() {
    std::vector<std::byte> bytes((16 << 20) + 100);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 >> 3);
    return bytes;
  }
  absl::Status Load(uint64_t key, size_t bytes) {
    loaded_.assign(bytes, std::byte{0});
    return PackCache(path_, key).Load({loaded_}, SerialFor);
  }
  absl::Status Store() {
    std::vector<std::byte> bytes = Weights();
    return PackCache(path_, kKey).Store({bytes}, SerialFor);
  }
  void Damage(uint64_t offset) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
  }

  std::string folder_;
  std::string path_;
  std::vector<std::byte> loaded_;
};

TEST_F(PackCacheTest, GivesBackWhatWasStored) {
  ASSERT_TRUE(Store().ok());
  ASSERT_TRUE(Load(kKey, Weights().size()).ok());
  EXPECT_EQ(loaded_, Weights());
}

// Where a part lies in memory is the reader's affair.
TEST_F(PackCacheTest, FillsPartsWhereverTheyAre) {
  std::vector<std::byte> bytes = Weights();
  const std::span<std::byte> stored = bytes;
  const size_t first = (size_t{16} << 20) + 3, rest = bytes.size() - first;
  ASSERT_TRUE(
      PackCache(path_, kKey).Store({stored.first(first), stored.subspan(first)}, SerialFor).ok());
  std::vector<std::byte> memory(bytes.size() + 10);
  const std::span<std::byte> all = memory;
  const std::span<std::byte> a = all.subspan(rest + 10), b = all.first(rest);
  ASSERT_TRUE(PackCache(path_, kKey).Load({a, b}, SerialFor).ok());
  EXPECT_TRUE(std::ranges::equal(a, stored.first(first)));
  EXPECT_TRUE(std::ranges::equal(b, stored.subspan(first)));
}

TEST_F(PackCacheTest, IsNotFoundAtFirst) {
  EXPECT_EQ(Load(kKey, 10).code(), absl::StatusCode::kNotFound);
}

TEST_F(PackCacheTest, IsStaleForAnotherKeyOrSize) {
  ASSERT_TRUE(Store().ok());
  EXPECT_EQ(Load(kKey + 1, Weights().size()).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Load(kKey, Weights().size() - 1).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(PackCacheTest, SeesEveryDamage) {
  const uint64_t bytes = Weights().size();
  for (uint64_t offset : {uint64_t{0}, uint64_t{40}, uint64_t{16} << 20, bytes + 39}) {
    ASSERT_TRUE(Store().ok());
    Damage(offset);
    EXPECT_EQ(Load(kKey, bytes).code(), absl::StatusCode::kDataLoss) << offset;
  }
}

TEST_F(PackCacheTest, SeesAFileThatWasCutShort) {
  ASSERT_TRUE(Store().ok());
  for (uint64_t bytes : {Weights().size(), size_t{20}, size_t{0}}) {
    std::filesystem::resize_file(path_, bytes);
    EXPECT_EQ(Load(kKey, Weights().size()).code(), absl::StatusCode::kDataLoss) << bytes;
  }
}

TEST_F(PackCacheTest, SaysWhereItCannotWrite) {
  std::vector<std::byte> bytes = Weights();
  absl::Status status = PackCache("/no/such/folder/x.pack", kKey).Store({bytes}, SerialFor);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(ToStd(status.message()), HasSubstr("/no/such/folder/x.pack"));
}

TEST_F(PackCacheTest, LeavesNoTemporaryFileBehind) {
  ASSERT_TRUE(Store().ok());
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_THAT(entry.path().string(), ::testing::Not(::testing::MatchesRegex(".*pack.*tmp")));
  }
}

}  // namespace
}  // namespace infer
