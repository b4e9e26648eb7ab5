// SPDX-License-Identifier: Apache-2.0
//
// Programs that give the largest logits besides whole rows, on a device with its own memory: whole
// rows are copied only where they are needed, and texts are those of samplers that see them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/engine.h"
#include "runtime/generation.h"
#include "tests/model/loaded_model.h"
#include "tests/support/test_device.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::RegistryWithTestDevice;

constexpr int64_t kLargest = 24;
constexpr int64_t kTopContext = 64;

const LoadedModel& TopModel() {
  static const auto* model =
      new LoadedModel("random_untied.gguf", RegistryWithTestDevice(TestPace::kLazy));
  return *model;
}

CompileModelOptions Options(int64_t candidates) {
  return {.policy = "reference",
          .place = {"test"},
          .context = kTopContext,
          .chunk = 8,
          .logit_rows = 3,
          .candidates = candidates};
}

std::unique_ptr<Engine> NewEngine(int32_t sequences = 1) {
  CompileModelOptions options = Options(kLargest);
  options.sequences = sequences;
  auto executable = Executable::CreateAlone(TopModel().Compile(options), TopModel().weights(),
                                            TopModel().registry());
  EXPECT_TRUE(executable.ok()) << executable.status();
  return Engine::Create(*executable, {.context = kTopContext, .sequences = sequences}).value();
}

std::vector<float> CopyOf(std::span<const float> row) { return {row.begin(), row.end()}; }

void ExpectLargestOf(std::span<const float> row, const TopLogits& top) {
  ASSERT_EQ(std::ssize(top.ids), kLargest);
  std::vector<int32_t> ids(row.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
  std::ranges::sort(ids, {}, [&](int32_t id) { return std::pair(-row[id], id); });
  for (size_t i = 0; i < top.ids.size(); ++i) {
    EXPECT_EQ(top.ids[i], ids[i]) << i;
    EXPECT_EQ(top.logits[i], row[ids[i]]) << i;
  }
}

TEST(TopLogits, WholeRowsAreCopiedWhenTheyAreFetched) {
  std::unique_ptr<Engine> engine = NewEngine();
  EXPECT_EQ(engine->most_top_logits(), kLargest);
  const SequenceId sequence = engine->NewSequence().value();
  const std::vector<int32_t> tokens = {5, 9, 30};
  const StepRequest first = {sequence, tokens, 1};
  ASSERT_TRUE(engine->Step({&first, 1}).ok());
  const std::vector<float> before = CopyOf(engine->logits());
  ExpectLargestOf(before, engine->top_logits());

  const StepRequest second = {sequence, tokens, 3, /*whole_rows=*/false};
  ASSERT_TRUE(engine->Step({&second, 1}).ok());
  EXPECT_EQ(CopyOf(engine->logits()), before) << "a copy that nobody asked for";
  ASSERT_TRUE(engine->FetchLogits().ok());
  EXPECT_NE(CopyOf(engine->logits()), before);
  for (int64_t row = 0; row < 3; ++row) {
    ExpectLargestOf(engine->logits(0, row), engine->top_logits(0, row));
  }
}

TEST(TopLogits, OneRequestThatReadsWholeRowsIsEnoughToCopyThem) {
  std::unique_ptr<Engine> engine = NewEngine(2);
  const std::vector<int32_t> tokens = {5, 9};
  const SequenceId a = engine->NewSequence().value(), b = engine->NewSequence().value();
  const StepRequest requests[] = {{a, tokens, 1, false}, {b, std::span(tokens).first(1), 1, true}};
  ASSERT_TRUE(engine->Step(requests).ok());
  ExpectLargestOf(engine->logits(0), engine->top_logits(0));
  ExpectLargestOf(engine->logits(1), engine->top_logits(1));
}

TEST(TopLogits, ProgramsOnTheCpuGiveNone) {
  CompileModelOptions options = Options(kLargest);
  options.place = {};
  auto session = TopModel().NewSession(options);
  EXPECT_EQ(session->most_top_logits(), 0);
  ASSERT_TRUE(session->Prefill(std::vector<int32_t>{1, 2}).ok());
  EXPECT_TRUE(session->top_logits().ids.empty());
}

class NoTexts : public TextDecoder {
 public:
  void Append(int32_t, std::string*) override {}
  void Flush(std::string*) override {}
};

struct SamplerCase {
  SamplerOptions sampler;
  std::string_view because;
};

TEST(TopLogits, TextsAreThoseOfWholeRows) {
  auto whole = TopModel().NewSession(Options(0));
  auto largest = TopModel().NewSession(Options(kLargest));
  SamplerOptions greedy, usual, penalties, all, many;
  greedy.temperature = 0;
  usual.temperature = 2;  // so that the draws of a random model differ
  penalties.repeat_penalty = 1.2;
  all.top_k = 0;
  many.top_k = 200;
  for (const SamplerCase& c :
       {SamplerCase{greedy, ""}, SamplerCase{usual, ""},
        SamplerCase{penalties, "penalties may raise any token"},
        SamplerCase{all, "there is no top-k"}, SamplerCase{many, "top-k is too large"}}) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      GenerationOptions options;
      options.sampler = c.sampler;
      options.sampler.seed = seed;
      options.max_tokens = 12;
      NoTexts decoder;
      const std::vector<int32_t> prompt = {3, 77, 12, 9};
      const auto expected = Generate(*whole, prompt, options, decoder, {});
      const auto found = Generate(*largest, prompt, options, decoder, {});
      ASSERT_TRUE(expected.ok()) << expected.status();
      ASSERT_TRUE(found.ok()) << found.status();
      EXPECT_EQ(found->ids, expected->ids) << c.because;
      EXPECT_EQ(found->whole_rows_because, c.because);
      EXPECT_EQ(expected->whole_rows_because, "calls give nothing else");
    }
  }
}

TEST(TopLogits, AListenerOfLogitsGetsWholeRows) {
  auto whole = TopModel().NewSession(Options(0));
  auto largest = TopModel().NewSession(Options(kLargest));
  std::vector<std::vector<float>> rows[2];
  for (int i = 0; i < 2; ++i) {
    GenerationOptions options;
    options.sampler.temperature = 0;
    options.max_tokens = 4;
    GenerationCallbacks callbacks;
    callbacks.on_logits = [&](std::span<const float> row) { rows[i].push_back(CopyOf(row)); };
    NoTexts decoder;
    const auto result = Generate(i == 0 ? *whole : *largest, std::vector<int32_t>{3, 7}, options,
                                 decoder, callbacks);
    ASSERT_TRUE(result.ok()) << result.status();
  }
  EXPECT_EQ(rows[0].size(), 4u);
  EXPECT_EQ(rows[0], rows[1]);
}

}  // namespace
}  // namespace infer
