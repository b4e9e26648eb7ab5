// SPDX-License-Identifier: Apache-2.0
#include "tools/api/load_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/simd/levels/choose_level.h"

namespace infer {
namespace {

TEST(PackCachePath, IsBesideTheModelAndNamesTheLevel) {
  const simd::Level* level = simd::ChosenLevel().level;
  const std::string name = level == nullptr ? "scalar" : std::string(level->name);
  EXPECT_EQ(PackCachePath("/models/a.gguf"), "/models/a.gguf." + name + ".infer-pack");
}

}  // namespace
}  // namespace infer
