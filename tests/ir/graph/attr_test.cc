// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/attr.h"

#include <gtest/gtest.h>

#include <limits>

namespace infer {
namespace {

TEST(Attr, TextTellsTheKind) {
  EXPECT_EQ(ToString(Attr(true)), "true");
  EXPECT_EQ(ToString(Attr(int64_t{-5})), "-5");
  EXPECT_EQ(ToString(Attr(5.0)), "5.0");
  EXPECT_EQ(ToString(Attr(1e-6)), "1e-06");
  EXPECT_EQ(ToString(Attr(std::string("a"))), "\"a\"");
  EXPECT_EQ(ToString(Attr(std::vector<int64_t>{1, -2})), "[1,-2]");
  EXPECT_EQ(ToString(Attr(std::vector<int64_t>{})), "[]");
  EXPECT_EQ(ToString(Attr(std::vector<double>{1, 0.5, 1e30})), "[1.0,0.5,1e+30]");
}

TEST(Attr, KindsAreInTheOrderOfTheAlternatives) {
  EXPECT_EQ(KindOf(Attr(true)), AttrKind::kBool);
  EXPECT_EQ(KindOf(Attr(int64_t{1})), AttrKind::kInt);
  EXPECT_EQ(KindOf(Attr(1.0)), AttrKind::kDouble);
  EXPECT_EQ(KindOf(Attr(std::string())), AttrKind::kString);
  EXPECT_EQ(KindOf(Attr(std::vector<int64_t>{})), AttrKind::kInts);
  EXPECT_EQ(KindOf(Attr(std::vector<double>{})), AttrKind::kDoubles);
  EXPECT_EQ(Name(AttrKind::kInts), "ints");
  EXPECT_EQ(Name(AttrKind::kDoubles), "doubles");
}

TEST(Attr, DefaultsHaveTheirKind) {
  for (AttrKind kind : {AttrKind::kBool, AttrKind::kInt, AttrKind::kDouble, AttrKind::kString,
                        AttrKind::kInts, AttrKind::kDoubles}) {
    EXPECT_EQ(KindOf(DefaultOf(kind)), kind);
  }
  EXPECT_EQ(DefaultOf(AttrKind::kBool), Attr(false));
  EXPECT_EQ(DefaultOf(AttrKind::kDoubles), Attr(std::vector<double>{}));
}

TEST(Attr, DoublesAreShortestAndNeverLookLikeInts) {
  EXPECT_EQ(ToString(0.1), "0.1");
  EXPECT_EQ(ToString(-0.0), "-0.0");
  EXPECT_EQ(ToString(1e22), "1e+22");
  EXPECT_EQ(ToString(123456.0), "123456.0");
  EXPECT_EQ(ToString(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Attr, QuotesAreEscapedAndStayOnOneLine) {
  EXPECT_EQ(Quote("a\"b\\c\n"), "\"a\\\"b\\\\c\\n\"");
  EXPECT_EQ(Quote(std::string_view("\0", 1)), "\"\\x00\"");
  EXPECT_EQ(Quote("\xc3\xa9"), "\"\\xc3\\xa9\"");
}

}  // namespace
}  // namespace infer
