// SPDX-License-Identifier: Apache-2.0
#include "runtime/common_arena.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "runtime/in_process_ranks.h"

namespace infer {
namespace {

constexpr uint64_t kCommon = 2 * SharedRanks::kCommonAlignment, kOwn = 1000;

// Runs `body` as both ranks.
template <class Body>
void RunBoth(const Body& body) {
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(2);
  std::thread other([&] { body(*ends[1]); });
  body(*ends[0]);
  other.join();
}

#if defined(__linux__)

TEST(CommonArena, BeginsWithMemoryOfAllRanks) {
  RunBoth([](SharedRanks& self) {
    auto arena = self.Allocate(kCommon, kOwn);
    ASSERT_TRUE(arena.ok() && *arena != nullptr);
    std::byte* data = (*arena)->data();
    EXPECT_EQ((*arena)->bytes(), kCommon + kOwn);
    EXPECT_EQ(data[0], std::byte{0});
    EXPECT_EQ(data[kCommon + kOwn - 1], std::byte{0});
    ASSERT_TRUE(self.Meet().ok());
    data[self.rank()] = std::byte(10 + self.rank());
    data[kCommon - 1 - self.rank()] = std::byte(20 + self.rank());
    data[kCommon] = std::byte(30 + self.rank());
    ASSERT_TRUE(self.Meet().ok());
    for (int rank : {0, 1}) {
      EXPECT_EQ(data[rank], std::byte(10 + rank));
      EXPECT_EQ(data[kCommon - 1 - rank], std::byte(20 + rank));
    }
    EXPECT_EQ(data[kCommon], std::byte(30 + self.rank()));
    ASSERT_TRUE(self.Meet().ok());
  });
}

TEST(CommonArena, IsKnownWhileItExists) {
  RunBoth([](SharedRanks& self) {
    std::byte elsewhere{};
    EXPECT_FALSE(self.IsCommon(&elsewhere));
    auto arena = self.Allocate(kCommon, kOwn);
    ASSERT_TRUE(arena.ok() && *arena != nullptr);
    const std::byte* data = (*arena)->data();
    EXPECT_TRUE(self.IsCommon(data));
    arena->reset();
    EXPECT_FALSE(self.IsCommon(data));
  });
}

#endif

TEST(CommonArena, IsRefusedToAllIfOneCannotMapIt) {
  RunBoth([](SharedRanks& self) {
    CommonArenas arenas;
    const HostMemory memory = self.rank() == 0 ? HostMemory::Create(kCommon) : HostMemory();
    const auto arena = arenas.Map(self, memory, kOwn);
    ASSERT_TRUE(arena.ok()) << arena.status();
    EXPECT_EQ(*arena, nullptr);
  });
}

TEST(CommonArena, AnErrorOfARankIsReturned) {
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(2);
  ends[1]->Abort(absl::DataLossError("gone"));
  EXPECT_EQ(ends[0]->Allocate(kCommon, kOwn).status(), absl::DataLossError("rank 1: gone"));
}

}  // namespace
}  // namespace infer
