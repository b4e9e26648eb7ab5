// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>

namespace infer {
namespace {

TEST(DType, TableIsInEnumOrder) {
  size_t index = 0;
  for (const DTypeInfo& info : AllDTypes()) {
    EXPECT_EQ(static_cast<size_t>(info.dtype), index++) << info.name;
    EXPECT_EQ(&Info(info.dtype), &info);
  }
}

TEST(DType, NamesAndFileIdsAreUniqueAndFindBack) {
  std::set<std::string_view> names;
  std::set<uint32_t> ids;
  for (const DTypeInfo& info : AllDTypes()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(ids.insert(info.gguf_id).second) << info.name;
    EXPECT_EQ(FindDType(info.name), info.dtype);
    EXPECT_EQ(DTypeFromGguf(info.gguf_id), info.dtype);
    EXPECT_EQ(RemovedGgufTypeName(info.gguf_id), nullptr);
  }
  EXPECT_EQ(FindDType("q9_9"), std::nullopt);
  EXPECT_EQ(DTypeFromGguf(4), std::nullopt);
  EXPECT_STREQ(RemovedGgufTypeName(4), "q4_2");
}

TEST(DType, BytesAreWholeBlocks) {
  EXPECT_EQ(BytesFor(DType::kF32, 3), 12u);
  EXPECT_EQ(BytesFor(DType::kQ8_0, 64), 68u);
  EXPECT_EQ(BytesFor(DType::kQ8_0, 33), std::nullopt);
  EXPECT_EQ(BytesFor(DType::kF32, std::numeric_limits<uint64_t>::max()), std::nullopt);
}

}  // namespace
}  // namespace infer
