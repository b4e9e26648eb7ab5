// SPDX-License-Identifier: Apache-2.0
//
// Engines, sequences and threads through the public header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <infer/infer.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kEngineModel = INFER_SOURCE_DIR "/tools/assets/tiny-tales-q8_0.gguf";

infer::GenerateOptions GreedyRequest(int64_t tokens) {
  infer::GenerateOptions options;
  options.max_tokens = tokens;
  options.temperature = 0;
  return options;
}

class ApiEngine : public ::testing::Test {
 protected:
  void SetUp() override {
    infer::Result<infer::Model> model = infer::Model::Load(kEngineModel);
    ASSERT_TRUE(model.ok()) << model.error().message;
    model_ = model.value();
    // The same text on every machine.
    infer::CompileOptions options;
    options.policy = "scalar";
    options.context = 256;
    options.sequences = 2;
    infer::Result<infer::Program> program = infer::Compile(*model_, options);
    ASSERT_TRUE(program.ok()) << program.error().message;
    program_ = program.value();
  }
  infer::Engine MakeEngine(const infer::EngineOptions& options) {
    infer::Result<infer::Engine> engine = infer::Engine::Create(*model_, *program_, options);
    EXPECT_TRUE(engine.ok()) << engine.error().message;
    return engine.value();
  }

  std::optional<infer::Model> model_;
  std::optional<infer::Program> program_;
};

TEST_F(ApiEngine, TwoSequencesOnTwoThreadsGiveWhatEachGivesAlone) {
  const std::vector<std::string> prompts = {"Once upon a time", "The little dog"};
  infer::EngineOptions options;
  options.sequences = 2;
  infer::Engine engine = MakeEngine(options);
  std::vector<std::string> alone;
  for (const std::string& prompt : prompts) {
    infer::Sequence sequence = engine.NewSequence().value();
    alone.push_back(sequence.Generate(prompt, GreedyRequest(24)).value().text);
  }
  std::vector<std::string> together(2);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      infer::Sequence sequence = engine.NewSequence().value();
      together[i] = sequence.Generate(prompts[i], GreedyRequest(24)).value().text;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(together, alone);
}

TEST_F(ApiEngine, TwoSessionsOfOneModelWorkOnTwoThreads) {
  std::vector<std::string> texts(2);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      infer::Session session = infer::Session::Create(*model_, *program_).value();
      texts[i] = session.Generate("Once upon a time", GreedyRequest(12)).value().text;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(texts[0], StartsWith(", a playful"));
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(ApiEngine, SequencesAreCounted) {
  infer::Engine engine = MakeEngine({});
  {
    infer::Sequence only = engine.NewSequence().value();
    infer::Result<infer::Sequence> second = engine.NewSequence();
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, 4);
  }
  infer::Sequence again = engine.NewSequence().value();
  EXPECT_THAT(again.tokens(), IsEmpty());
}

TEST_F(ApiEngine, UsesTheThreadsThatWereAskedFor) {
  EXPECT_GE(MakeEngine({}).threads(), 1);
  infer::EngineOptions options;
  options.threads = 3;
  EXPECT_EQ(MakeEngine(options).threads(), 3);
  EXPECT_THAT(MakeEngine(options).threads_text(), StartsWith("3 as asked"));
  for (int wrong : {-1, 100000}) {
    options.threads = wrong;
    EXPECT_EQ(infer::Engine::Create(*model_, *program_, options).error().code, 2);
  }
  options = {};
  options.sequences = 0;
  EXPECT_EQ(infer::Engine::Create(*model_, *program_, options).error().code, 2);
}

TEST_F(ApiEngine, AResultSaysWhatHappened) {
  infer::Sequence sequence = MakeEngine({}).NewSequence().value();
  infer::Generation made = sequence.Generate("Once upon a time", GreedyRequest(8)).value();
  EXPECT_EQ(made.reason, infer::StopReason::kMaxTokens);
  EXPECT_EQ(made.ids.size(), 8u);
  EXPECT_EQ(made.prompt_tokens, 4);
  EXPECT_EQ(made.cached_tokens, 0);
  EXPECT_GT(made.first_token_ms, 0);
  EXPECT_GT(made.prefill_ms, 0);
  EXPECT_GT(made.decode_ms, 0);
  EXPECT_EQ(sequence.tokens().size(), 11u);  // the last token was not run
  made = sequence.Generate("Once upon a time", GreedyRequest(8)).value();
  EXPECT_EQ(made.cached_tokens, 3);  // the last one is run for its logits
  sequence.Clear();
  EXPECT_THAT(sequence.tokens(), IsEmpty());
}

TEST_F(ApiEngine, SeedsAreRandomAndReproduce) {
  infer::Sequence sequence = MakeEngine({}).NewSequence().value();
  infer::GenerateOptions options;
  options.max_tokens = 24;
  options.temperature = 1.5;
  infer::Generation first = sequence.Generate("Once", options).value();
  infer::Generation second = sequence.Generate("Once", options).value();
  EXPECT_NE(first.seed, second.seed);
  options.seed = first.seed;
  EXPECT_EQ(sequence.Generate("Once", options).value().text, first.text);
}

TEST_F(ApiEngine, IsCancelledFromAnotherThread) {
  infer::Sequence sequence = MakeEngine({}).NewSequence().value();
  infer::GenerateOptions options = GreedyRequest(200);
  options.ignore_end = true;
  int tokens = 0;
  std::thread other;
  options.on_token = [&](const infer::TokenStep&) {
    if (++tokens == 3) other = std::thread([cancel = options.cancel] { cancel.Cancel(); });
  };
  infer::Result<infer::Generation> made = sequence.Generate("Once upon a time", options);
  other.join();
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made.value().reason, infer::StopReason::kCancelled);
  EXPECT_LT(made.value().ids.size(), 200u);
  // Before it begins, too; and the sequence is as good as before.
  made = sequence.Generate("The little dog ran", options);
  EXPECT_EQ(made.value().reason, infer::StopReason::kCancelled);
  EXPECT_THAT(made.value().ids, IsEmpty());
  EXPECT_THAT(sequence.Generate("Once upon a time", GreedyRequest(8)).value().text,
              StartsWith(", a playful"));
}

TEST_F(ApiEngine, ShowsProgressTokensAndLogits) {
  infer::Sequence sequence = MakeEngine({}).NewSequence().value();
  infer::GenerateOptions options = GreedyRequest(5);
  std::vector<int64_t> done;
  options.on_prefill = [&](int64_t tokens, int64_t total) {
    EXPECT_EQ(total, 4);
    done.push_back(tokens);
  };
  std::vector<int32_t> ids;
  options.on_token = [&](const infer::TokenStep& step) {
    ids.push_back(step.id);
    ASSERT_EQ(step.vocabulary, 4096);
    EXPECT_EQ(std::max_element(step.logits, step.logits + step.vocabulary) - step.logits, step.id);
  };
  infer::Generation made = sequence.Generate("Once upon a time", options).value();
  EXPECT_EQ(done.back(), 4);
  EXPECT_EQ(ids, made.ids);
}

TEST_F(ApiEngine, DraftsGiveTheSameText) {
  infer::CompileOptions compile;
  compile.context = 128;
  compile.drafts = true;
  compile.invariant = true;
  infer::Program program = infer::Compile(*model_, compile).value();
  infer::Session session = infer::Session::Create(*model_, program).value();
  infer::GenerateOptions options = GreedyRequest(50);
  const std::string prompt = "One day Lily and Tom went to the park. One day Lily and";
  const infer::Generation plain = session.Generate(prompt, options).value();
  EXPECT_EQ(plain.drafted_tokens, 0);
  session.Clear();
  options.drafts = infer::Drafts::kNgram;
  std::vector<int32_t> most_likely;
  options.on_token = [&](const infer::TokenStep& step) {
    most_likely.push_back(static_cast<int32_t>(
        std::max_element(step.logits, step.logits + step.vocabulary) - step.logits));
  };
  const infer::Generation drafted = session.Generate(prompt, options).value();
  EXPECT_EQ(drafted.ids, plain.ids);
  EXPECT_EQ(most_likely, plain.ids) << "each token has the logits that it was chosen from";
  EXPECT_GT(drafted.drafted_tokens, 0);
  EXPECT_GE(drafted.drafted_tokens, drafted.accepted_tokens);
  EXPECT_GT(drafted.draft_gain, 0);
  EXPECT_THAT(drafted.warnings, IsEmpty());
  // A program without room for drafts says so and goes on.
  compile.drafts = false;
  program = infer::Compile(*model_, compile).value();
  session = infer::Session::Create(*model_, program).value();
  EXPECT_THAT(session.Generate(prompt, options).value().warnings, ::testing::SizeIs(1));
}

TEST_F(ApiEngine, AStepAppendsToSeveralSequences) {
  infer::EngineOptions options;
  options.sequences = 2;
  infer::Engine engine = MakeEngine(options);
  infer::Sequence a = engine.NewSequence().value(), b = engine.NewSequence().value();
  const std::vector<int32_t> prompt = model_->Encode("Once upon a time").value();
  auto logits = engine.Step({{a, prompt}, {b, {prompt[0]}}});
  ASSERT_TRUE(logits.ok()) << logits.error().message;
  ASSERT_EQ(logits.value().size(), 2u);
  const std::vector<float>& after = logits.value()[0];
  const auto next = std::max_element(after.begin(), after.end()) - after.begin();
  EXPECT_EQ(a.Generate(prompt, GreedyRequest(1)).value().ids[0], next);
  EXPECT_THAT(b.tokens(), ElementsAre(prompt[0]));
  EXPECT_EQ(engine.Step({{a, {}}}).error().code, 2);
  EXPECT_EQ(engine.Step({{a, {1}}, {a, {1}}}).error().code, 2);
  EXPECT_EQ(engine.Step({{a, {4096}}}).error().code, 2);
  EXPECT_EQ(engine.Step({{MakeEngine({}).NewSequence().value(), {1}}}).error().code, 2);
  EXPECT_EQ(a.Generate(std::vector<int32_t>{-1}).error().code, 2);
}

TEST_F(ApiEngine, ChatsInTheModelsFormat) {
  const std::vector<infer::Message> messages = {{"user", "What is 47 + 38?"}};
  EXPECT_EQ(model_->RenderChat(messages).value(),
            "<|im_start|>user\nWhat is 47 + 38?<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_THAT(model_->RenderChat(messages, infer::Think::kOn).value(),
              HasSubstr("assistant\n<think>\n"));
  EXPECT_EQ(model_->RenderChat({{"nobody", "x"}}).error().code, 2);
  infer::Sequence sequence = MakeEngine({}).NewSequence().value();
  infer::GenerateOptions options = GreedyRequest(48);
  std::string streamed;
  options.on_text = [&](std::string_view piece) {
    streamed += piece;
    return true;
  };
  options.think = infer::Think::kOff;
  infer::Generation made = sequence.Chat(messages, options).value();
  EXPECT_NE(made.text, "");
  EXPECT_EQ(streamed, made.text);
  options.think = infer::Think::kOn;
  EXPECT_THAT(sequence.Chat(messages, options).value().text, StartsWith("<think>\n"));
}

TEST_F(ApiEngine, AChatHasToolsThoughtsAndSchemas) {
  infer::Sequence sequence = MakeEngine({}).NewSequence().value();
  infer::GenerateOptions options = GreedyRequest(120);
  options.tools = {R"({"type": "function", "function": {"name": "get_weather", "description":
      "Weather of a city", "parameters": {"type": "object", "properties":
      {"city": {"type": "string"}}, "required": ["city"]}}})"};
  std::vector<infer::Message> messages = {{"user", "What is the weather in Paris?"}};
  const infer::Generation called = sequence.Chat(messages, options).value();
  EXPECT_EQ(called.message.role, "assistant");
  ASSERT_EQ(called.message.tool_calls.size(), 1u) << called.text;
  EXPECT_EQ(called.message.tool_calls[0].name, "get_weather");
  EXPECT_EQ(called.message.tool_calls[0].arguments, R"({"city": "Paris"})");
  EXPECT_TRUE(called.message.reasoning.has_value());
  messages.push_back(called.message);
  messages.push_back({"tool", R"({"weather": "sunny"})"});
  EXPECT_NE(sequence.Chat(messages, options).value().message.content, "");

  options = GreedyRequest(120);
  options.think = infer::Think::kOn;
  options.think_budget = 3;
  options.json_schema = R"({"type": "object", "properties": {"a": {"type": "boolean"}},
                            "required": ["a"], "additionalProperties": false})";
  const infer::Generation bounded = sequence.Chat({{"user", "Hello"}}, options).value();
  EXPECT_THAT(bounded.message.content, ::testing::MatchesRegex("\\{\\s*\"a\": (true|false)\\s*\\}"))
      << bounded.text;
  options.grammar = "root ::= \"x\"";
  EXPECT_EQ(sequence.Chat({{"user", "Hello"}}, options).error().code, 2);
}

TEST_F(ApiEngine, FallbacksAreNotSilent) {
  infer::CompileOptions options;
  options.policy = "scalar";
  options.overrides = {"layer=99=simd"};
  std::vector<std::string> told;
  options.on_warning = [&](const std::string& text) { told.push_back(text); };
  infer::Result<infer::Program> program = infer::Compile(*model_, options);
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_THAT(program.value().warnings(), ElementsAre(HasSubstr("matches no node")));
  EXPECT_EQ(told, program.value().warnings());
  EXPECT_THAT(program.value().Summary(), HasSubstr("place layer=99=simd"));
  options.strict = true;
  EXPECT_EQ(infer::Compile(*model_, options).error().code, 2);
  options = {};
  options.kv_type = "f15";
  EXPECT_EQ(infer::Compile(*model_, options).error().code, 2);
  options.kv_type = "f32";
  EXPECT_THAT(infer::Compile(*model_, options).value().ToText(), HasSubstr("f32"));
}

// Whoever asks for a GPU that is not there hears of it from the library as from the tools.
TEST_F(ApiEngine, AMissingDeviceIsAWarning) {
  for (const char* policy : {"metal", "cuda"}) {
    infer::CompileOptions options;
    options.policy = policy;
    infer::Result<infer::Program> program = infer::Compile(*model_, options);
    ASSERT_TRUE(program.ok()) << program.error().message;
    if (program.value().ToText().find(std::string("@") + policy) != std::string::npos) continue;
    EXPECT_THAT(program.value().warnings(),
                ::testing::Contains(HasSubstr(std::string(policy) + " is unavailable")));
  }
}

TEST_F(ApiEngine, ReportsTheLoading) {
  infer::CompileOptions compile;
  compile.policy = "simd";
  infer::Program program = infer::Compile(*model_, compile).value();
  uint64_t last = 0, all = 0;
  infer::EngineOptions options;
  options.paged = true;
  options.on_load = [&](uint64_t done, uint64_t total) { last = done, all = total; };
  infer::Result<infer::Engine> engine = infer::Engine::Create(*model_, program, options);
  ASSERT_TRUE(engine.ok()) << engine.error().message;
  EXPECT_EQ(last, all);
  EXPECT_THAT(engine.value().warnings(), IsEmpty());
}

}  // namespace
