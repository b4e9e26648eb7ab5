// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/console_load.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

TEST(PackCacheHint, NamesTheFlagAfterASlowLoadWithoutIt) {
  EXPECT_EQ(
      PackCacheHint(2.34, {}),
      "packing took 2.3 s; --pack-cache keeps the packed weights in a file for the next load");
  EXPECT_EQ(PackCacheHint(0.5, {}), "");
  EXPECT_EQ(PackCacheHint(2.34, {.on = true}), "");
}

}  // namespace
}  // namespace infer
