// SPDX-License-Identifier: Apache-2.0
#include "runtime/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/loaded_model.h"
#include "tests/runtime/tiny_program.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::LogitsOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const LoadedModel& SessionModel() {
  static const auto* model = new LoadedModel("random_untied.gguf");
  return *model;
}

constexpr int64_t kSessionContext = 64;

std::unique_ptr<Session> NewSession(int64_t chunk = 8) {
  return SessionModel().NewSession(
      {.policy = "reference", .context = kSessionContext, .chunk = chunk});
}

std::vector<int32_t> Prompt(int tokens) {
  std::vector<int32_t> ids;
  for (int i = 0; i < tokens; ++i) ids.push_back((37 * i + 11) % 700);
  return ids;
}

// The logits after `ids`, from a session that has seen nothing else.
std::vector<float> FreshLogits(const std::vector<int32_t>& ids) {
  auto session = NewSession();
  EXPECT_EQ(session->Prefill(ids), absl::OkStatus());
  return LogitsOf(*session);
}

std::vector<int32_t> TokensOf(const Session& session) {
  return {session.tokens().begin(), session.tokens().end()};
}

TEST(Session, PrefillRunsInChunksAndTellsHowFarItIs) {
  auto session = NewSession();
  std::vector<std::pair<int64_t, int64_t>> calls;
  ASSERT_EQ(session->Prefill(Prompt(20), nullptr,
                             [&](int64_t done, int64_t total) { calls.push_back({done, total}); }),
            absl::OkStatus());
  EXPECT_THAT(calls, ElementsAre(Pair(0, 20), Pair(8, 20), Pair(16, 20), Pair(20, 20)));
  EXPECT_EQ(TokensOf(*session), Prompt(20));
  EXPECT_EQ(session->metrics().Finish().prefill_tokens, 20);
}

TEST(Session, PrefillKeepsWhatIsInTheCacheAlready) {
  auto session = NewSession();
  std::vector<int32_t> ids = Prompt(20);
  ASSERT_EQ(session->Prefill(ids), absl::OkStatus());
  ids.resize(25, 3);
  std::vector<std::pair<int64_t, int64_t>> calls;
  auto progress = [&](int64_t done, int64_t total) { calls.push_back({done, total}); };
  ASSERT_EQ(session->Prefill(ids, nullptr, progress), absl::OkStatus());
  EXPECT_THAT(calls, ElementsAre(Pair(20, 25), Pair(25, 25)));
  EXPECT_EQ(session->metrics().Finish().prefill_tokens, 25);
  EXPECT_EQ(LogitsOf(*session), FreshLogits(ids));
}

TEST(Session, PrefillForgetsFromTheFirstDifferenceOn) {
  auto session = NewSession();
  std::vector<int32_t> ids = Prompt(20);
  ASSERT_EQ(session->Prefill(ids), absl::OkStatus());
  ids[12] = 5;
  ids.resize(18);
  ASSERT_EQ(session->Prefill(ids), absl::OkStatus());
  EXPECT_EQ(session->metrics().Finish().prefill_tokens, 20 + 6);
  EXPECT_EQ(TokensOf(*session), ids);
  EXPECT_EQ(LogitsOf(*session), FreshLogits(ids));
}

TEST(Session, PrefillOfWhatIsThereRunsTheLastTokenAgain) {
  auto session = NewSession();
  ASSERT_EQ(session->Prefill(Prompt(20)), absl::OkStatus());
  ASSERT_EQ(session->Prefill(Prompt(20)), absl::OkStatus());
  EXPECT_EQ(session->metrics().Finish().prefill_tokens, 21);
  ASSERT_EQ(session->Prefill(Prompt(10)), absl::OkStatus());  // a shorter one: logits of its end
  EXPECT_EQ(session->metrics().Finish().prefill_tokens, 22);
  EXPECT_EQ(TokensOf(*session), Prompt(10));
  EXPECT_EQ(LogitsOf(*session), FreshLogits(Prompt(10)));
}

TEST(Session, DecodeAppendsOneToken) {
  auto session = NewSession();
  ASSERT_EQ(session->Prefill(Prompt(9)), absl::OkStatus());
  ASSERT_EQ(session->Decode(Prompt(10).back()), absl::OkStatus());
  EXPECT_EQ(TokensOf(*session), Prompt(10));
  EXPECT_EQ(LogitsOf(*session), FreshLogits(Prompt(10)));
  EXPECT_EQ(session->metrics().Finish().decode_tokens, 1);
}

TEST(Session, ClearForgetsEverything) {
  auto session = NewSession();
  ASSERT_EQ(session->Prefill(Prompt(30)), absl::OkStatus());
  session->Clear();
  EXPECT_TRUE(session->tokens().empty());
  ASSERT_EQ(session->Prefill(Prompt(7)), absl::OkStatus());
  EXPECT_EQ(LogitsOf(*session), FreshLogits(Prompt(7)));
}

TEST(Session, AllLogitsAreThoseOfEachPrefix) {
  auto session = SessionModel().NewSession(
      {.policy = "reference", .context = kSessionContext, .chunk = 8, .logit_rows = 8});
  ASSERT_EQ(session->RunWithAllLogits(Prompt(5)), absl::OkStatus());
  std::vector<float> third(session->logits(2).begin(), session->logits(2).end());
  std::vector<float> expected = FreshLogits(Prompt(3));
  ASSERT_EQ(third.size(), 768u);
  for (size_t i = 0; i < third.size(); ++i) EXPECT_NEAR(third[i], expected[i], 1e-5);
  EXPECT_EQ(session->RunWithAllLogits(Prompt(9)).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(session->RunWithAllLogits({}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(TokensOf(*session), Prompt(5));
  absl::Status one_row = NewSession()->RunWithAllLogits(Prompt(5));
  EXPECT_THAT(std::string(one_row.message()), HasSubstr("R = 5 is outside the program's 1 to 1"));
}

TEST(Session, RefusedCallsChangeNothing) {
  auto session = NewSession();
  ASSERT_EQ(session->Prefill(Prompt(6)), absl::OkStatus());
  EXPECT_EQ(session->Prefill({}).code(), absl::StatusCode::kInvalidArgument);
  for (int32_t id : {-1, 768}) {
    absl::Status status = session->Decode(id);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("outside the vocabulary of 768"));
  }
  EXPECT_EQ(TokensOf(*session), Prompt(6));
  ASSERT_EQ(session->Decode(Prompt(7).back()), absl::OkStatus());
  EXPECT_EQ(LogitsOf(*session), FreshLogits(Prompt(7)));
}

TEST(Session, PromptThatDoesNotFitIsRefusedBeforeItRuns) {
  auto session = NewSession();
  bool started = false;
  absl::Status status = session->Prefill(Prompt(kSessionContext + 1), nullptr,
                                         [&](int64_t, int64_t) { started = true; });
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("use a larger context"));
  EXPECT_FALSE(started);
  ASSERT_EQ(session->Prefill(Prompt(kSessionContext)), absl::OkStatus());
  EXPECT_EQ(session->Decode(1).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(session->context(), kSessionContext);
}

TEST(Session, StopKeepsFinishedChunksAndGoesOnAsIfNothingHadHappened) {
  auto session = NewSession();
  std::atomic<bool> stop = false;
  auto progress = [&](int64_t done, int64_t) { stop = done == 16; };
  EXPECT_EQ(session->Prefill(Prompt(20), &stop, progress).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(TokensOf(*session), Prompt(16));
  ASSERT_EQ(session->Prefill(Prompt(20)), absl::OkStatus());
  EXPECT_EQ(session->metrics().Finish().prefill_tokens, 20);
  EXPECT_EQ(LogitsOf(*session), FreshLogits(Prompt(20)));
}

// The scalar silu, which raises the stop flag as Ctrl-C in the middle of a run would.
std::atomic<bool> interrupt = false;
std::atomic<bool> interrupted = false;
void (*real_silu)(const KernelArgs&, int64_t, int64_t) = nullptr;

TEST(Session, StopInTheMiddleOfARunLeavesTheCacheConsistent) {
  std::vector<CpuKernel> kernels = test::ScalarKernelsExcept("");
  CpuKernel& silu = test::KernelNamed(kernels, "silu_f32_scalar");
  real_silu = silu.run;
  silu.run = [](const KernelArgs& args, int64_t begin, int64_t end) {
    real_silu(args, begin, end);
    if (interrupt) interrupted = true;
  };
  std::unique_ptr<KernelRegistry> registry = test::RegistryOf(kernels);
  auto session = Session::CreateAlone(
      SessionModel().Compile({.policy = "reference", .context = kSessionContext, .chunk = 8}),
      SessionModel().weights(), *registry, {.context = kSessionContext});
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_EQ((*session)->Prefill(Prompt(6)), absl::OkStatus());
  interrupt = true;
  EXPECT_EQ((*session)->Decode(600, &interrupted).code(), absl::StatusCode::kCancelled);
  interrupt = false;
  interrupted = false;
  EXPECT_EQ(TokensOf(**session), Prompt(6));
  ASSERT_EQ((*session)->Decode(Prompt(7).back(), &interrupted), absl::OkStatus());
  EXPECT_EQ(LogitsOf(**session), FreshLogits(Prompt(7)));
}

// The weights of the model, whose file can be cut short at any time.
class FragileWeights : public WeightSource {
 public:
  const ModelRef& model_ref() const override { return real_.model_ref(); }
  std::span<const WeightInfo> weights() const override { return real_.weights(); }
  const WeightInfo* Find(std::string_view name) const override { return real_.Find(name); }
  std::span<const std::byte> Data(const WeightInfo& w) const override { return real_.Data(w); }
  uint64_t SampleHash(const WeightInfo& w) const override { return real_.SampleHash(w); }
  uint64_t FullHash(const WeightInfo& w) const override { return real_.FullHash(w); }
  absl::Status Check() const override { return status; }
  absl::Status status;

 private:
  const WeightSource& real_ = SessionModel().weights();
};

TEST(Session, WhatWasComputedFromAFileCutShortIsNotKept) {
  FragileWeights weights;
  auto session = Session::CreateAlone(
      SessionModel().Compile({.policy = "reference", .context = kSessionContext, .chunk = 8}),
      weights, SessionModel().registry(), {.context = kSessionContext});
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_EQ((*session)->Prefill(Prompt(6)), absl::OkStatus());
  weights.status = absl::DataLossError("cut short");
  EXPECT_EQ((*session)->Decode(1), absl::DataLossError("cut short"));
  EXPECT_EQ(TokensOf(**session), Prompt(6));
}

absl::Status StatusOf(Program program, SessionOptions options) {
  return Session::CreateAlone(std::move(program), SessionModel().weights(),
                              SessionModel().registry(), options)
      .status();
}

TEST(Session, DecomposedProgramIsTiedToItsContext) {
  Program program = SessionModel().Compile({.policy = "reference", .context = kSessionContext});
  absl::Status status = StatusOf(std::move(program), {.context = kSessionContext + 1});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("compiled for a context of 64 tokens, asked for 65; compile it again"));
  program = SessionModel().Compile({.policy = "reference", .context = kSessionContext});
  EXPECT_EQ(StatusOf(std::move(program), {.context = 16}), absl::OkStatus());
}

TEST(Session, CacheTakesTheBytesPredicted) {
  for (int32_t block_positions : {0, 24}) {
    SessionOptions options{.context = kSessionContext, .block_positions = block_positions};
    Program program = SessionModel().Compile({.policy = "reference", .context = kSessionContext});
    absl::StatusOr<uint64_t> predicted = PredictCacheBytes(
        program, {.context = kSessionContext, .block_positions = block_positions});
    ASSERT_TRUE(predicted.ok());
    auto session = Session::CreateAlone(std::move(program), SessionModel().weights(),
                                        SessionModel().registry(), options);
    ASSERT_TRUE(session.ok());
    EXPECT_EQ((*session)->cache().bytes(), *predicted);
  }
}

TEST(Session, RefusesACacheThatNoOneCanHave) {
  Program program = SessionModel().Compile({.context = kSessionContext});
  EXPECT_FALSE(PredictCacheBytes(program, {.context = 0}).ok());
  program.states[0].kv_heads = (int64_t{1} << 32) + 2;  // 2 if it were cut to 32 bits
  EXPECT_EQ(PredictCacheBytes(program, {.context = 16}).status().code(),
            absl::StatusCode::kInvalidArgument);
  program = SessionModel().Compile({.context = kSessionContext});
  program.states[0].dtype = DType::kF32;
  EXPECT_EQ(PredictCacheBytes(program, {.context = 16}).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(Session, RefusesAGraphThatIsNoLanguageModel) {
  test::VectorWeights weights = test::TinyWeights();
  auto refused = [&](Program program) {
    absl::Status status = Session::CreateAlone(std::move(program), weights,
                                               SessionModel().registry(), {.context = 16})
                              .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(refused(test::TinyProgram(weights)), HasSubstr("layers"));  // it has no cache
  Program other_input = test::TinyProgram(weights);
  other_input.regimes[0].graph.inputs()[0]->result().type = ValueType::F32({Symbol::kT});
  EXPECT_THAT(refused(std::move(other_input)), HasSubstr("expected the inputs i32[T] and batch"));
  Program other_result = test::TinyProgram(weights);
  other_result.regimes[0].graph.results()[0].node->result().type =
      ValueType::F32({Symbol::kT, Symbol::kS});
  EXPECT_THAT(refused(std::move(other_result)), HasSubstr("expected the result f32[R,vocabulary]"));
}

}  // namespace
}  // namespace infer
