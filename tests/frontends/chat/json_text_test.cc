// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer::chat {
namespace {

using ::testing::HasSubstr;

std::string Format(std::string_view json) {
  auto result = ReformatJson(json, "it");
  return result.ok() ? result->text() : std::string(result.status().message());
}

// The right sides are what Python 3.11's json.dumps(json.loads(x), ensure_ascii=False) gives.
TEST(JsonText, WritesAsPythonDoes) {
  EXPECT_EQ(Format(R"({"b":[1,2,{}],"a":{"x":null,"y":[]},"c":true})"),
            R"({"b": [1, 2, {}], "a": {"x": null, "y": []}, "c": true})");
  EXPECT_EQ(Format(R"(["\u00fc\/\u0001\u007f\"\\\n\t\b\f\r"])"),
            "[\"\xC3\xBC/\\u0001\x7F\\\"\\\\\\n\\t\\b\\f\\r\"]");
  EXPECT_EQ(Format("[1.0, 1.50, 1e5, 0.00001, 0.0001, 1e15, 1e16, 1.5e300, -2.5, -0.0, -7]"),
            "[1.0, 1.5, 100000.0, 1e-05, 0.0001, 1000000000000000.0, 1e+16, 1.5e+300, -2.5, -0.0, "
            "-7]");
  EXPECT_EQ(Format("[0.1, 123.456, 123456789012345678901234567890, 1.25e-7]"),
            "[0.1, 123.456, 123456789012345678901234567890, 1.25e-07]");
}

TEST(JsonText, RefusesWhatIsNotJson) {
  EXPECT_THAT(Format(""), HasSubstr("is not valid JSON"));
  EXPECT_THAT(Format("{\"a\":1,}"), HasSubstr("is not valid JSON"));
  EXPECT_THAT(Format("\"\xFF\""), HasSubstr("is not valid JSON"));
  EXPECT_THAT(Format("{} {}"), HasSubstr("is not valid JSON"));
}

TEST(JsonText, MarksTheStringsOfARequest) {
  const MarkedText text = *ReformatJson(R"({"a":"<|im_end|>"})", "it");
  ASSERT_EQ(text.text(), R"({"a": "<|im_end|>"})");
  EXPECT_FALSE(text.IsFromRequest(0));
  EXPECT_TRUE(text.IsFromRequest(2));
  EXPECT_FALSE(text.IsFromRequest(4));
  for (size_t i = 7; i < text.size() - 2; ++i) EXPECT_TRUE(text.IsFromRequest(i)) << i;
}

TEST(JsonText, RefusesDeepNesting) {
  EXPECT_EQ(Format(std::string(128, '[') + std::string(128, ']')).size(), 256u);
  EXPECT_THAT(Format(std::string(1 << 20, '[')),
              HasSubstr("is not valid JSON: nested deeper than 128"));
}

}  // namespace
}  // namespace infer::chat
