// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/model_metadata.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

TEST(SizeLabel, IsTheConvertersShortForm) {
  EXPECT_EQ(SizeLabel(540928), "541K");
  EXPECT_EQ(SizeLabel(5771264), "5.8M");
  EXPECT_EQ(SizeLabel(596049920), "596M");
  EXPECT_EQ(SizeLabel(8190735360), "8.2B");
  EXPECT_EQ(SizeLabel(32762123264), "33B");
}

}  // namespace
}  // namespace infer
