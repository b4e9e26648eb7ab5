// SPDX-License-Identifier: Apache-2.0
//
// The bundled model under 20 schemas. INFER_TEST_GENERATIONS says how many texts are generated in
// all (1,000 for a release), and INFER_TEST_GENERATIONS_OUT names a file that gets a line
// {"schema", "text"} for each, which tests/tools/api/judge_generations.py validates with
// python3-jsonschema. INFER_TEST_PROMPTS says with how many prompts drafts are compared (200).
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "frontends/grammar/check_text.h"
#include "frontends/grammar/json_schema.h"
#include "frontends/tokenizer/from_gguf.h"
#include "ir/base/json.h"
#include "runtime/generation.h"
#include "runtime/ngram_drafter.h"
#include "tests/model/loaded_model.h"
#include "tools/api/grammar_constraint.h"
#include "tools/api/text_decoder_adapter.h"

namespace infer {
namespace {

int Count(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : std::max(1, std::atoi(text));
}

// Proposes the tokens of a known text from where the current one ends, some of them wrong.
class KnowingDrafter : public Drafter {
 public:
  explicit KnowingDrafter(std::vector<int32_t> text) : text_(std::move(text)) {}
  absl::Status Begin(std::span<const int32_t>, const std::atomic<bool>*) override {
    return absl::OkStatus();
  }
  absl::Status Propose(std::span<const int32_t> text, int64_t most, const std::atomic<bool>*,
                       std::vector<int32_t>* draft) override {
    for (size_t at = text.size(); at < text_.size() && most > 0; ++at, --most) {
      draft->push_back(++count_ % 4 == 0 ? 5 : text_[at]);
    }
    return absl::OkStatus();
  }

 private:
  std::vector<int32_t> text_;
  int count_ = 0;
};

class GrammarGeneration : public ::testing::Test {
 protected:
  struct Made {
    std::string text;
    GenerationResult result;
  };

  static const test::LoadedModel& Model() {
    static const auto* model = new test::LoadedModel("");
    return *model;
  }
  void SetUp() override {
    tokenizer_ = std::make_unique<Tokenizer>(*LoadTokenizer(Model().file().gguf()));
    vocabulary_ = GrammarVocabulary::Create(tokenizer_->vocabulary());
    // Invariant: where kernels round differently for one token and for several (i8mm), drafts
    // would change texts whatever the grammar does. Room for weak models, which ramble in keys.
    session_ = Model().NewSession({.policy = "auto",
                                   .invariant = true,
                                   .context = 2000,
                                   .chunk = 32,
                                   .logit_rows = kMaxDraft + 1});
    schemas_ = Json::parse(std::ifstream(INFER_TEST_DATA "/grammar/generation_schemas.json"));
  }

  Made Generate(const std::shared_ptr<const Grammar>& grammar, const std::vector<int32_t>& prompt,
                const SamplerOptions& sampler, Drafter* drafter, bool forces = true) {
    GrammarConstraint constraint({.grammar = grammar,
                                  .vocabulary = vocabulary_,
                                  .tokenizer = forces ? tokenizer_.get() : nullptr});
    GenerationOptions options;
    options.max_tokens = 1900;
    options.sampler = sampler;
    options.end_ids = tokenizer_->vocabulary().end_ids();
    options.drafter = drafter;
    options.constraint = &constraint;
    Made made;
    GenerationCallbacks callbacks;
    callbacks.on_text = [&](std::string_view text) {
      made.text += text;
      return true;
    };
    TextDecoderAdapter decoder(tokenizer_.get());
    session_->Clear();
    auto result = infer::Generate(*session_, prompt, options, decoder, callbacks);
    EXPECT_TRUE(result.ok()) << result.status();
    if (result.ok()) made.result = *std::move(result);
    return made;
  }
  std::vector<int32_t> Prompt(std::mt19937& random) {
    constexpr const char* kPrompts[] = {"Once upon a time", "The fox said", "Answer in JSON: ",
                                        "Lily and Tom went to the park. They saw a big dog."};
    return *tokenizer_->Encode(kPrompts[random() % std::size(kPrompts)]);
  }

  std::unique_ptr<Tokenizer> tokenizer_;
  std::shared_ptr<const GrammarVocabulary> vocabulary_;
  std::unique_ptr<Session> session_;
  Json schemas_;
};

TEST_F(GrammarGeneration, EveryTextIsValid) {
  std::ofstream out;
  if (const char* path = std::getenv("INFER_TEST_GENERATIONS_OUT")) out.open(path);
  std::mt19937 random(7);
  const int total = Count("INFER_TEST_GENERATIONS", 20);
  ASSERT_EQ(schemas_.size(), 20u);
  int forced = 0, tokens = 0;
  for (int i = 0; i < total; ++i) {
    const Json& schema = schemas_[static_cast<size_t>(i) % schemas_.size()];
    const auto grammar = CompileJsonSchema(schema.dump());
    ASSERT_TRUE(grammar.ok()) << grammar.status();
    // Greedy, with top-k, and with neither, which needs masks.
    SamplerOptions sampler = {.temperature = i % 3 == 0 ? 0.0 : 0.9,
                              .top_k = i % 3 == 1 ? 20 : 0,
                              .seed = static_cast<uint64_t>(i)};
    const Made made = Generate(*grammar, Prompt(random), sampler, nullptr);
    EXPECT_EQ(made.result.reason, StopReason::kEndToken) << schema << "\n" << made.text;
    EXPECT_TRUE(Json::accept(made.text)) << made.text;
    EXPECT_FALSE(CheckText(*grammar, made.text)) << schema << "\n" << made.text;
    if (out.is_open()) out << Json{{"schema", schema}, {"text", made.text}} << "\n";
    forced += static_cast<int>(made.result.drafts.accepted);
    tokens += static_cast<int>(made.result.ids.size());
  }
  std::cout << total << " texts, " << tokens << " tokens, " << forced << " of them forced\n";
}

TEST_F(GrammarGeneration, DraftsDoNotChangeTheText) {
  std::mt19937 random(8);
  const int prompts = Count("INFER_TEST_PROMPTS", 6);
  for (int i = 0; i < prompts; ++i) {
    const Json& schema = schemas_[random() % schemas_.size()];
    const auto grammar = CompileJsonSchema(schema.dump());
    ASSERT_TRUE(grammar.ok()) << grammar.status();
    const SamplerOptions sampler = {.temperature = i % 2 == 0 ? 0.0 : 0.9,
                                    .top_k = i % 4 == 1 ? 20 : 0,
                                    .seed = static_cast<uint64_t>(i)};
    const std::vector<int32_t> prompt = Prompt(random);
    const Made plain = Generate(*grammar, prompt, sampler, nullptr);
    std::vector<int32_t> whole = prompt;
    whole.insert(whole.end(), plain.result.ids.begin(), plain.result.ids.end());
    KnowingDrafter knowing(whole);
    NgramDrafter ngram;
    for (Drafter* drafter : {static_cast<Drafter*>(&knowing), static_cast<Drafter*>(&ngram)}) {
      const Made drafted = Generate(*grammar, prompt, sampler, drafter);
      EXPECT_EQ(drafted.result.ids, plain.result.ids) << schema;
      EXPECT_EQ(drafted.text, plain.text);
      EXPECT_EQ(drafted.result.reason, plain.result.reason);
    }
  }
}

}  // namespace
}  // namespace infer
