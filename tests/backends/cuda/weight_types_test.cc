// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/weight_types.h"

#include <gtest/gtest.h>

namespace infer::cuda {
namespace {

TEST(WeightTypes, PlanesOfEveryTypeAreAligned) {
  for (const WeightType& type : kWeightTypes) {
    const PlaneBytes planes = PlanesOf(type, 3, 256);
    for (uint64_t bytes : {planes.quants, planes.high, planes.scales, planes.supers}) {
      EXPECT_EQ(bytes % 16, 0u) << type.name;
    }
    EXPECT_EQ(planes.quants, 3u * 256 / type.unit_elements * 16) << type.name;
  }
}

}  // namespace
}  // namespace infer::cuda
