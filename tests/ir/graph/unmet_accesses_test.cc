// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/unmet_accesses.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

const Partition kRows = {.domain = PartitionDomain::kRows, .extent = {.ct = 1}};
const Partition kTiles = {.domain = PartitionDomain::kTiles, .extent = {.ct = 8}, .granule = 4};
constexpr UnmetAccesses::Memory kHere = {nullptr, 1}, kThere = {nullptr, 2};
constexpr SymbolicCount kBytes = {.ct = 32};

constexpr bool kReads = false, kWrites = true;
Access Own(const Partition& partition, bool writes) { return {&partition, true, writes, kBytes}; }
Access Any(const Partition& partition, bool writes) { return {&partition, false, writes, kBytes}; }

TEST(UnmetAccesses, ReadersDoNotClash) {
  UnmetAccesses unmet;
  unmet.Add(kHere, Any(kRows, kReads));
  unmet.Add(kHere, Own(kTiles, kReads));
  EXPECT_FALSE(unmet.Clashes(kHere, Any(kRows, kReads)));
}

TEST(UnmetAccesses, AWriterClashesWithWhoTouchesOtherParts) {
  UnmetAccesses unmet;
  unmet.Add(kHere, Own(kRows, kWrites));
  EXPECT_FALSE(unmet.Clashes(kHere, Own(kRows, kReads)));
  EXPECT_FALSE(unmet.Clashes(kHere, Own(kRows, kWrites)));
  EXPECT_TRUE(unmet.Clashes(kHere, Any(kRows, kReads)));
  EXPECT_TRUE(unmet.Clashes(kHere, Own(kTiles, kReads)));
  EXPECT_FALSE(unmet.Clashes(kThere, Any(kRows, kWrites)));
}

TEST(UnmetAccesses, PartsOfValuesOfAnotherSizeAreOtherParts) {
  UnmetAccesses unmet;
  unmet.Add(kHere, Own(kRows, kWrites));
  Access smaller = Own(kRows, kReads);
  smaller.bytes.ct = 16;
  EXPECT_TRUE(unmet.Clashes(kHere, smaller));
}

TEST(UnmetAccesses, AWriterClashesWithOneOfSeveralReaders) {
  UnmetAccesses unmet;
  unmet.Add(kHere, Own(kRows, kReads));
  EXPECT_FALSE(unmet.Clashes(kHere, Own(kRows, kWrites)));
  unmet.Add(kHere, Own(kTiles, kReads));
  EXPECT_TRUE(unmet.Clashes(kHere, Own(kRows, kWrites)));
  EXPECT_TRUE(unmet.Clashes(kHere, Own(kTiles, kWrites)));
}

TEST(UnmetAccesses, NothingClashesAfterAMeeting) {
  UnmetAccesses unmet;
  unmet.Add(kHere, Any(kRows, kWrites));
  unmet.Meet();
  EXPECT_FALSE(unmet.Clashes(kHere, Any(kTiles, kWrites)));
}

}  // namespace
}  // namespace infer
