// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/byte_cursor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/gguf/printable.h"
#include "tests/support/gguf_writer.h"

namespace infer {
namespace {

TEST(ByteCursor, ReadsLittleEndianAndCountsOffsets) {
  const std::string bytes = test::U16(0x1234) + test::U64(5) + test::Text("abc");
  ByteCursor cursor("f", std::as_bytes(std::span(bytes)), 100);
  EXPECT_EQ(*cursor.Read<uint16_t>("a"), 0x1234);
  EXPECT_EQ(cursor.offset(), 102u);
  EXPECT_EQ(*cursor.Read<uint64_t>("b"), 5u);
  EXPECT_EQ(*cursor.ReadString("c", 3), "abc");
  EXPECT_EQ(cursor.bytes_left(), 0u);
  EXPECT_EQ(cursor.Since(110).size(), 11u);
}

TEST(ByteCursor, NamesThePlaceOfWhatIsMissing) {
  const std::string bytes = "abc";
  ByteCursor cursor("my\nfile", std::as_bytes(std::span(bytes)), 10);
  cursor.set_place("key \"k\"");
  cursor.set_element(4);
  const absl::Status status = cursor.Read<uint32_t>("number").status();
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_EQ(status.message(),
            "my\\x0afile: byte 10: key \"k\": element 4: number needs 4 bytes, but only 3 are left "
            "in the file, which is truncated or damaged; download or convert it again");
  EXPECT_EQ(cursor.offset(), 10u);
}

TEST(ByteCursor, ReadsManyStringsAndStopsAtTheWrongOne) {
  const std::string bytes = test::Text("a") + test::Text("bb") + test::Text("ccc", 99);
  ByteCursor good("f", std::as_bytes(std::span(bytes)));
  std::vector<std::string_view> strings;
  EXPECT_TRUE(good.ReadStrings(2, 10, &strings).ok());
  EXPECT_EQ(strings, (std::vector<std::string_view>{"a", "bb"}));
  ByteCursor bad("f", std::as_bytes(std::span(bytes)));
  EXPECT_EQ(bad.ReadStrings(3, 10, nullptr).message(),
            "f: byte 19: element 2: string has 99 bytes, expected at most 10");
}

TEST(ByteCursor, KeepsToItsLimit) {
  const std::string bytes(100, '\0');
  ByteCursor cursor("f", std::as_bytes(std::span(bytes)));
  cursor.LimitTo(10);
  EXPECT_TRUE(cursor.Take(10, "x").ok());
  EXPECT_TRUE(absl::IsInvalidArgument(cursor.Take(1, "x").status()));
}

TEST(Printable, LeavesNothingThatBreaksALine) {
  EXPECT_EQ(Printable("a\nb\x7f\"\\\xc3"), "a\\x0ab\\x7f\\x22\\x5c\\xc3");
  EXPECT_EQ(Quoted("abc"), "\"abc\"");
  EXPECT_EQ(Quoted("abcdef", 3), "\"abc\"... (6 bytes)");
}

}  // namespace
}  // namespace infer
