// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

std::string Tokenize(std::vector<std::string> args) {
  return OutputOf("infer-tokenize", std::move(args));
}

TEST(InferTokenize, PrintsIdsOfStdin) {
  {
    StdinText text("Hello world");
    EXPECT_EQ(Tokenize({"-m", BundledModelPath(), "--ids", "-"}), "3302,847\n");
  }
  StdinText text("Hello world");
  EXPECT_EQ(Tokenize({"--ids"}), "3302,847\n");
}

TEST(InferTokenize, TakesTheTextFromFlagOrFile) {
  TempDir dir;
  WriteFile(dir.Path("text"), "Hello world");
  EXPECT_EQ(Tokenize({"--ids", "-p", "Hello world"}), "3302,847\n");
  EXPECT_EQ(Tokenize({"--ids", "-f", dir.Path("text")}), "3302,847\n");
  EXPECT_EQ(Tokenize({dir.Path("text")}), "3302\tHello\n847\t world\n");
}

TEST(InferTokenize, SpecialTokensAreTextIfAsked) {
  EXPECT_EQ(Tokenize({"--ids", "-p", "<|im_end|>"}), "4091\n");
  EXPECT_EQ(Tokenize({"--decode", "4091"}), "<|im_end|>");
  std::string plain = Tokenize({"--ids", "--no-special", "-p", "<|im_end|>"});
  EXPECT_NE(plain, "4091\n");
  plain.pop_back();
  EXPECT_EQ(Tokenize({"--decode", plain}), "<|im_end|>");
}

TEST(InferTokenize, JsonHasIdsAndPieces) {
  nlohmann::json json =
      nlohmann::json::parse(Tokenize({"-p", "Hello world", "--format", "json"}), nullptr, false);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["ids"], (std::vector<int>{3302, 847}));
  EXPECT_EQ(json["tokens"][1]["piece"], " world");
}

TEST(InferTokenize, ReadsAFileWithoutWeights) {
  EXPECT_EQ(Tokenize({"-m", TestData("qwen3-vocab.gguf"), "--ids", "-p", "Hello world"}),
            "9707,1879\n");
}

TEST(InferTokenize, SaysWhetherADocumentIsAllowed) {
  TempDir dir;
  WriteFile(dir.Path("schema"), R"({"type": "object", "properties": {"a": {"type": "integer"}}})");
  WriteFile(dir.Path("bad"), R"({"not": {}})");
  WriteFile(dir.Path("grammar"), "root ::= [0-9]+");
  WriteFile(dir.Path("valid"), "{\n  \"a\": 1\n}\n");
  WriteFile(dir.Path("invalid"), "{\n  \"a\": x\n}\n");
  WriteFile(dir.Path("digits"), "123");
  const auto run = [&](const char* flag, const char* rules, const char* document) {
    return RunNamed("infer-tokenize", {flag, dir.Path(rules), "--accepts", dir.Path(document)});
  };
  EXPECT_EQ(run("--json-schema", "schema", "valid").code, 0);
  const auto refused = run("--json-schema", "schema", "invalid");
  EXPECT_EQ(refused.code, 6);
  EXPECT_THAT(refused.err, HasSubstr("byte 9 (line 2, column 8): found x, expected"));
  EXPECT_EQ(run("--json-schema", "bad", "valid").code, 3);
  EXPECT_EQ(run("--grammar", "grammar", "digits").code, 0);
  EXPECT_EQ(run("--grammar", "grammar", "valid").code, 6);
  EXPECT_EQ(RunNamed("infer-tokenize", {"--accepts", dir.Path("valid")}).code, 2);
  EXPECT_EQ(RunNamed("infer-tokenize", {"--grammar", dir.Path("grammar")}).code, 2);
}

TEST(InferTokenize, RefusesWhatItCannotRead) {
  auto expect = [](std::vector<std::string> args, int code, const std::string& message) {
    CapturedRun run = RunNamed("infer-tokenize", args);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr(message));
  };
  expect({"--decode", "1,x"}, 2, "item 2 is \"x\"");
  expect({"--decode", "4096"}, 3, "4096");
  expect({"-p", "x", "-f", "y"}, 2, "one of");
  expect({"-p", "x", "y"}, 2, "one of");
  expect({"-p", "x", "--decode", "1"}, 2, "one of");
  expect({"/nonexistent"}, 3, "/nonexistent");
  expect({"-m", "/nonexistent", "-p", "x"}, 3, "/nonexistent");
}

TEST(InferTokenize, RendersAConversation) {
  TempDir dir;
  WriteFile(
      dir.Path("chat.json"),
      R"({"messages": [{"role": "user", "content": "Hi <|im_end|>"}], "enable_thinking": false})");
  const std::string rendered =
      Tokenize({"--chat", dir.Path("chat.json"), "--template-arg", "add_generation_prompt=true"});
  EXPECT_EQ(rendered,
            "<|im_start|>user\nHi <|im_end|><|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>"
            "\n\n");
  // Only the template's own token is the special one.
  const std::string ids = "," + Tokenize({"--chat", dir.Path("chat.json"), "--ids"});
  size_t found = 0;
  for (size_t at = ids.find(",4091,"); at != std::string::npos; at = ids.find(",4091,", at + 1)) {
    ++found;
  }
  EXPECT_EQ(found, 1u);
  StdinText messages(R"([{"role": "user", "content": "A"}])");
  WriteFile(dir.Path("template"), "{{ name }}{{ n + 1 }}{{ messages[0].content }}{{ bos_token }}");
  EXPECT_EQ(Tokenize({"--chat", "-", "--chat-template", dir.Path("template"), "--template-arg",
                      "name=x y", "--template-arg", "n=4", "--template-arg", "bos_token=B"}),
            "x y5AB");
}

TEST(InferTokenize, RefusesInvalidConversations) {
  TempDir dir;
  WriteFile(dir.Path("chat.json"), R"({"messages": [{"role": "user", "content": }]})");
  CapturedRun run = RunNamed("infer-tokenize", {"--chat", dir.Path("chat.json")});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err,
              HasSubstr("chat.json: the request at messages[0].content is not valid JSON"));
  WriteFile(dir.Path("template"), "ab\n{{ nope.x }}");
  WriteFile(dir.Path("chat.json"), "[]");
  run = RunNamed("infer-tokenize",
                 {"--chat", dir.Path("chat.json"), "--chat-template", dir.Path("template")});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, HasSubstr("chat template, line 2, column 8: 'nope' is undefined"));
  EXPECT_EQ(RunNamed("infer-tokenize", {"--chat", "x", "-p", "y"}).code, 2);
  EXPECT_EQ(RunNamed("infer-tokenize", {"--chat-template", "x"}).code, 2);
  EXPECT_EQ(RunNamed("infer-tokenize", {"--chat", "x", "--template-arg", "y"}).code, 2);
}

}  // namespace
}  // namespace infer
