// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/dispatch_builder.h"

#include <array>

#include "gtest/gtest.h"
#include "shaders/args.h"

namespace infer::metal {
namespace {

std::array<std::byte, 64> memory;

TEST(DispatchBuilder, NumbersBuffersAsTheyCome) {
  std::vector<Dispatch> out;
  DispatchBuilder({"norm", "rms_norm_f32", {}}, shader::RowArgs{5, 0.5f})
      .Reads(memory.data(), 8)
      .Writes(memory.data() + 8, 16)
      .Over({3}, {32}, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].arguments.size(), sizeof(shader::RowArgs));
  ASSERT_EQ(out[0].bindings.size(), 2u);
  EXPECT_EQ(out[0].bindings[0].index, 1);
  EXPECT_FALSE(out[0].bindings[0].writes);
  EXPECT_EQ(out[0].bindings[1].index, 2);
  EXPECT_EQ(out[0].bindings[1].bytes, 16u);
  EXPECT_TRUE(out[0].bindings[1].writes);
}

TEST(DispatchBuilder, FloatsLieBehindTheArguments) {
  const float angles[] = {1, 2};
  std::vector<Dispatch> out;
  DispatchBuilder({"rope", "rope_f32", {}}, shader::HeadArgs{}).Behind(angles).Over({1}, {64}, out);
  ASSERT_EQ(out[0].arguments.size(), sizeof(shader::HeadArgs) + sizeof angles);
  EXPECT_EQ(std::memcmp(out[0].arguments.data() + sizeof(shader::HeadArgs), angles, sizeof angles),
            0);
}

TEST(DispatchBuilder, ThreadgroupMemoryIsAMultipleOf16) {
  std::vector<Dispatch> out;
  DispatchBuilder({"a", "b", {}}, shader::RowArgs{}).Threadgroup(33).Over({1}, {32}, out);
  EXPECT_EQ(out[0].threadgroup_bytes, 48u);
}

// No rows wanted: nothing to run, and Metal refuses an empty grid.
TEST(DispatchBuilder, AnEmptyGridIsLeftOut) {
  std::vector<Dispatch> out;
  DispatchBuilder({"a", "b", {}}, shader::RowArgs{}).Over({0}, {32}, out);
  DispatchBuilder({"a", "b", {}}, shader::RowArgs{}).Over({4, 0}, {32}, out);
  EXPECT_TRUE(out.empty());
}

TEST(BytesOf, CountsWholeBlocks) {
  EXPECT_EQ(BytesOf({.dtype = DType::kQ8_0, .rank = 2, .dims = {3, 64}}), 3u * 68);
  EXPECT_EQ(BytesOf({.dtype = DType::kF32, .rank = 3, .dims = {2, 3, 5}}), 120u);
}

}  // namespace
}  // namespace infer::metal
