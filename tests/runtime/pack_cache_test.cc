// SPDX-License-Identifier: Apache-2.0
#include "runtime/pack_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr PackCacheKey kKey = {.layouts = 7, .files = 8};
constexpr PackCache::Source kSource = {.hash = 9, .settled = true};
constexpr uint64_t kHeaderBytes = 64;

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
    std::vector<std::byte> bytes((4 << 20) + 100);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 >> 3);
    return bytes;
  }
  absl::Status Load(PackCacheKey key, size_t bytes) {
    loaded_.assign(bytes, std::byte{0});
    return PackCache(path_, key).Load({loaded_}, {});
  }
  absl::Status Store(const PackCache::Source& source = kSource, const PieceWork& work = {}) {
    std::vector<std::byte> bytes = Weights();
    return PackCache(path_, kKey).Store({bytes}, source, work);
  }
  std::vector<std::string> FilesInFolder() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
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
  const size_t first = (size_t{4} << 20) + 3, rest = bytes.size() - first;
  ASSERT_TRUE(
      PackCache(path_, kKey).Store({stored.first(first), stored.subspan(first)}, kSource, {}).ok());
  std::vector<std::byte> memory(bytes.size() + 10);
  const std::span<std::byte> all = memory;
  const std::span<std::byte> a = all.subspan(rest + 10), b = all.first(rest);
  ASSERT_TRUE(PackCache(path_, kKey).Load({a, b}, {}).ok());
  EXPECT_TRUE(std::ranges::equal(a, stored.first(first)));
  EXPECT_TRUE(std::ranges::equal(b, stored.subspan(first)));
}

TEST_F(PackCacheTest, IsNotFoundAtFirst) {
  EXPECT_EQ(Load(kKey, 10).code(), absl::StatusCode::kNotFound);
}

TEST_F(PackCacheTest, IsStaleForAnotherKeyOrSize) {
  ASSERT_TRUE(Store().ok());
  EXPECT_EQ(Load({.layouts = 6, .files = 8}, Weights().size()).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Load(kKey, Weights().size() - 1).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(PackCacheTest, SeesEveryDamage) {
  const uint64_t bytes = Weights().size();
  for (uint64_t offset :
       {uint64_t{0}, uint64_t{16}, kHeaderBytes, uint64_t{4} << 20, bytes + kHeaderBytes - 1}) {
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
  absl::Status status = PackCache("/no/such/folder/x.pack", kKey).Store({bytes}, kSource, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(ToStd(status.message()), HasSubstr("/no/such/folder/x.pack"));
}

TEST_F(PackCacheTest, LeavesNoTemporaryFileBehind) {
  ASSERT_TRUE(Store().ok());
  EXPECT_THAT(FilesInFolder(), ElementsAre("weights.pack"));
}

TEST_F(PackCacheTest, IsNotUsedForFilesThatChanged) {
  ASSERT_TRUE(Store().ok());
  const PackCacheKey changed = {.layouts = kKey.layouts, .files = 99};
  EXPECT_EQ(Load(changed, Weights().size()).code(), absl::StatusCode::kAborted);
  std::vector<std::byte> bytes = Weights();
  EXPECT_FALSE(PackCache(path_, changed).Renew({bytes}, {.hash = 10, .settled = true}));
  EXPECT_EQ(Load(changed, bytes.size()).code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(PackCache(path_, changed).Renew({bytes}, kSource)) << "the same bytes elsewhere";
  EXPECT_TRUE(Load(changed, bytes.size()).ok());
}

TEST_F(PackCacheTest, IsNotUsedIfTheFilesCouldHaveChangedUnseen) {
  ASSERT_TRUE(Store({.hash = 9, .settled = false}).ok());
  EXPECT_EQ(Load(kKey, Weights().size()).code(), absl::StatusCode::kAborted);
}

// Stops before the last piece of the parts is written.
TEST_F(PackCacheTest, StopsWhileWriting) {
  std::atomic<bool> stop = false;
  auto then_stop = [&](int64_t count, const std::function<void(int64_t)>& body) {
    SerialFor(count, body);
    stop = true;
  };
  EXPECT_EQ(Store(kSource, {.parallel = then_stop, .stop = &stop}).code(),
            absl::StatusCode::kCancelled);
  EXPECT_THAT(FilesInFolder(), ElementsAre());
}

// Without the signal ignored, the process would end here.
TEST_F(PackCacheTest, AFileSizeLimitIsAnError) {
  auto* former_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit former;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &former), 0);
  const rlimit small = {1 << 20, former.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = Store();
  setrlimit(RLIMIT_FSIZE, &former);
  std::signal(SIGXFSZ, former_handler);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(ToStd(status.message()), HasSubstr("File too large"));
  EXPECT_THAT(FilesInFolder(), ElementsAre());
}

}  // namespace
}  // namespace infer
