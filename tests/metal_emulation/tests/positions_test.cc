// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/positions.h"

#include <gtest/gtest.h>

#include <vector>

namespace infer::emulation {
namespace {

using Type = std::vector<std::string_view>;

TEST(PositionTypes, AreUnsignedNumbers) {
  PositionTypes types;
  EXPECT_EQ(types.Add("kThreadIndexInSimdgroup", "lane", Type{"ushort"}), "");
  EXPECT_EQ(types.Add("kBuffer", "out", Type{"device", "float", "*"}), "");
  for (const Type& type : {Type{"int"}, Type{"uint4"}, Type{"ulong"}, Type{"half2"}, Type{},
                           Type{"vec", "<", "uint", ",", "2", ">"}}) {
    EXPECT_NE(types.Add("kThreadPositionInGrid", "at", type), "");
  }
}

TEST(PositionTypes, HaveTheSameNumberOfComponents) {
  PositionTypes types;
  EXPECT_EQ(types.Add("kThreadPositionInGrid", "at", Type{"uint2"}), "");
  EXPECT_EQ(types.Add("kThreadPositionInThreadgroup", "in", Type{"ushort2"}), "");
  EXPECT_EQ(types.Add("kThreadIndexInThreadgroup", "index", Type{"uint"}), "");
  EXPECT_EQ(types.Add("kThreadsPerGrid", "grid", Type{"uint3"}),
            "'grid' has 3 components, 'at' has 2: positions and sizes in a grid must have the same "
            "number");
}

}  // namespace
}  // namespace infer::emulation
