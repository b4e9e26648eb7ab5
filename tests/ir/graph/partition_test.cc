// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/partition.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

TEST(Partition, DomainsAreFoundByTheirNames) {
  for (int i = 0; i < kNumPartitionDomains; ++i) {
    const PartitionDomain domain = static_cast<PartitionDomain>(i);
    EXPECT_EQ(FindPartitionDomain(Name(domain)), domain);
  }
  EXPECT_EQ(FindPartitionDomain("rooms"), std::nullopt);
}

TEST(Partition, HasTheUnitsOfOneThatIsCutAlike) {
  const Partition rows = {.domain = PartitionDomain::kRows, .extent = {.ct = 2}};
  Partition other = rows;
  other.own_inputs = {0};
  EXPECT_TRUE(rows.HasUnitsOf(other));
  other.granule = 2;
  EXPECT_FALSE(rows.HasUnitsOf(other));
  other = rows;
  other.extent = {.c0 = 2};
  EXPECT_FALSE(rows.HasUnitsOf(other));
  other = rows;
  other.domain = PartitionDomain::kTiles;
  EXPECT_FALSE(rows.HasUnitsOf(other));
}

TEST(Partition, OwnsWhatItLists) {
  const Partition partition = {.own_inputs = {1}, .own_results = {0}};
  EXPECT_TRUE(partition.OwnsInput(1));
  EXPECT_FALSE(partition.OwnsInput(0));
  EXPECT_TRUE(partition.OwnsResult(0));
  EXPECT_FALSE(partition.OwnsResult(1));
}

}  // namespace
}  // namespace infer
