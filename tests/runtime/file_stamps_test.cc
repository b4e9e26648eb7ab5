// SPDX-License-Identifier: Apache-2.0
#include "runtime/file_stamps.h"

#include <gtest/gtest.h>

#include <vector>

namespace infer {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr FileStamp kStamp = {
    .bytes = 1, .inode = 2, .modified_ns = 10 * kSecond, .changed_ns = 10 * kSecond + 5};

TEST(FileStamps, EveryFieldCounts) {
  const FileStamp others[] = {{2, 2, kStamp.modified_ns, kStamp.changed_ns},
                              {1, 3, kStamp.modified_ns, kStamp.changed_ns},
                              {1, 2, kStamp.modified_ns + 1, kStamp.changed_ns},
                              {1, 2, kStamp.modified_ns, kStamp.changed_ns + 1}};
  for (const FileStamp& other : others) {
    EXPECT_NE(HashOf(std::vector{kStamp}), HashOf(std::vector{other}));
  }
  EXPECT_NE(HashOf(std::vector{kStamp}), HashOf(std::vector{kStamp, kStamp}));
}

TEST(FileStamps, AreSettledOnceTheClockHasMovedOn) {
  EXPECT_FALSE(AreSettled({}, 20 * kSecond));
  EXPECT_FALSE(AreSettled(std::vector{FileStamp()}, 20 * kSecond)) << "unknown";
  EXPECT_FALSE(AreSettled(std::vector{kStamp}, kStamp.changed_ns + kSecond / 100));
  EXPECT_TRUE(AreSettled(std::vector{kStamp}, kStamp.changed_ns + kSecond / 10));
  EXPECT_FALSE(AreSettled(std::vector{kStamp}, kStamp.changed_ns - kSecond)) << "in the future";
  FileStamp whole = kStamp;
  whole.changed_ns = 10 * kSecond;
  EXPECT_FALSE(AreSettled(std::vector{whole}, 12 * kSecond)) << "the clock of FAT";
  EXPECT_TRUE(AreSettled(std::vector{whole}, 14 * kSecond));
  EXPECT_FALSE(AreSettled(std::vector{kStamp, whole}, 12 * kSecond));
}

}  // namespace
}  // namespace infer
