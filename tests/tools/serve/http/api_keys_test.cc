// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/api_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace infer::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

TEST(ApiKeys, FindsTheNameOfAKey) {
  const auto keys = ApiKeys::Parse("# a comment\n\nalice\tkey-of-alice\r\n  bob key-of-bob  ", "f");
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_THAT(keys->Find("key-of-alice"), Optional(std::string("alice")));
  EXPECT_THAT(keys->Find("key-of-bob"), Optional(std::string("bob")));
  for (std::string wrong : {"", "key-of-bo", "key-of-bobb", "Key-of-bob", "bob", "#"}) {
    EXPECT_EQ(keys->Find(wrong), std::nullopt) << wrong;
  }
}

TEST(ApiKeys, RefusesWrongFilesWithTheLine) {
  struct Case {
    std::string text, message;
  };
  for (const Case& c :
       {Case{"", "holds no key"}, Case{"# only\n", "holds no key"},
        Case{"\nalice\n", "'f' line 2: expected"}, Case{"a key-of-a more\n", "expected 'NAME KEY'"},
        Case{"a short\n", "8 to 512 characters, got 5"},
        Case{"a " + std::string(600, 'k'), "got 600"},
        Case{"a key-of-a\na key-of-b\n", "line 2: a second key"},
        Case{"a key-of-a\nb key-of-a\n", "same key as that of 'a'"},
        Case{"a key-\xc3\xa4-umlaut\n", "visible ASCII"},
        Case{std::string(65, 'n') + " key-of-n", "64"}}) {
    EXPECT_THAT(ApiKeys::Parse(c.text, "f").status().message(), HasSubstr(c.message)) << c.text;
  }
}

TEST(KeyStore, AsksForNothingWithoutAFile) {
  KeyStore store("");
  EXPECT_TRUE(store.Load().ok());
  EXPECT_FALSE(store.is_used());
  KeyStore missing("/no/such/file");
  EXPECT_TRUE(missing.is_used());
  EXPECT_THAT(missing.Load().message(), HasSubstr("/no/such/file"));
  EXPECT_EQ(missing.Find("anything-at-all"), std::nullopt);
}

}  // namespace
}  // namespace infer::http
