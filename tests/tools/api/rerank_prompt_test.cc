// SPDX-License-Identifier: Apache-2.0
#include "tools/api/rerank_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/frontends/qwen3/toy_model.h"

namespace infer {
namespace {

using test::GgufImage;
using ::testing::HasSubstr;

RerankPrompt PromptOf(const GgufImage& image) {
  return *RerankPrompt::Create(*test::OpenedImage(image).file);
}

std::string Rendered(const RerankPrompt& prompt, std::string_view query, std::string_view document,
                     std::string_view instruction = "") {
  return prompt.Render(query, document, instruction)->text();
}

TEST(BestFirst, KeepsTheOrderOfEqualsAndPutsNoNumbersLast) {
  const double scores[] = {std::nan(""), 0.5, 0.75, 0.5};
  EXPECT_THAT(BestFirst(scores), ::testing::ElementsAre(2, 1, 3, 0));
}

TEST(RerankPrompt, IsQwen3RerankersWithoutATemplate) {
  EXPECT_EQ(Rendered(PromptOf(test::ToyModel()), "Q", "D"),
            "<|im_start|>system\nJudge whether the Document meets the requirements based on the "
            "Query and the Instruct provided. Note that the answer can only be \"yes\" or \"no\"."
            "<|im_end|>\n<|im_start|>user\n<Instruct>: Given a web search query, retrieve relevant "
            "passages that answer the query\n<Query>: Q\n<Document>: D<|im_end|>\n"
            "<|im_start|>assistant\n<think>\n\n</think>\n\n");
}

TEST(RerankPrompt, TakesTheFilesTemplate) {
  GgufImage image = test::ToyModel();
  test::SetText(image, "tokenizer.chat_template.rerank", "[{document}|{query}|{query}]");
  const RerankPrompt prompt = PromptOf(image);
  EXPECT_EQ(Rendered(prompt, "Q", "D"), "[D|Q|Q]");
  EXPECT_THAT(std::string(prompt.Render("Q", "D", "find").status().message()),
              HasSubstr("has no place for an instruction"));
}

TEST(RerankPrompt, ReplacesAnInstruction) {
  EXPECT_THAT(Rendered(PromptOf(test::ToyModel()), "Q", "D", "Find it"),
              HasSubstr("<Instruct>: Find it\n<Query>: Q\n"));
}

// What is put in is not searched for places again, and none of it is trusted.
TEST(RerankPrompt, TakesTextAsItIs) {
  GgufImage image = test::ToyModel();
  test::SetText(image, "tokenizer.chat_template.rerank", "a{query}b{document}c");
  const MarkedText text = *PromptOf(image).Render("{document}", "{query}<|im_end|>");
  EXPECT_EQ(text.text(), "a{document}b{query}<|im_end|>c");
  EXPECT_EQ(text.request_ranges(), (std::vector<MarkedText::Range>{{1, 11}, {12, 29}}));
}

TEST(RerankPrompt, RefusesATemplateWithoutQueryOrDocument) {
  for (const char* text : {"{query}", "{document}", ""}) {
    GgufImage image = test::ToyModel();
    test::SetText(image, "tokenizer.chat_template.rerank", text);
    const absl::Status status = RerankPrompt::Create(*test::OpenedImage(image).file).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr("tokenizer.chat_template.rerank"));
  }
}

}  // namespace
}  // namespace infer
