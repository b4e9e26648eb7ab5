// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/target_look.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace infer {
namespace {

TEST(TargetLook, DiffersInColourAndInBorder) {
  std::set<std::string> strokes, borders;
  for (const TargetRecord& record : kTargets) {
    const TargetLook& look = LookOf(record.target);
    EXPECT_TRUE(strokes.emplace(look.stroke).second) << record.name;
    EXPECT_TRUE(borders.insert(std::string(look.dash) + " " + std::to_string(look.border)).second)
        << record.name;
    for (std::string_view colour : {look.stroke, look.fill, look.dark_stroke, look.dark_fill}) {
      EXPECT_EQ(colour.size(), 7u) << record.name;
      EXPECT_EQ(colour.substr(1).find_first_not_of("0123456789abcdef"), colour.npos) << colour;
    }
  }
}

}  // namespace
}  // namespace infer
