// SPDX-License-Identifier: Apache-2.0
//
// Sequences that share the steps of an engine, mixed at random: decodes beside chunks of other
// prompts, sequences that end and make room, clones that go on from a common beginning. Each must
// get what it gets alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "backends/simd/levels/choose_level.h"
#include "ir/base/strings.h"
#include "runtime/engine.h"
#include "runtime/session.h"
#include "tests/model/loaded_model.h"
#include "tests/support/test_device.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::RegistryWithTestDevice;
using ::testing::ElementsAreArray;

constexpr int32_t kInterleaved = 3;
constexpr int64_t kSmallContext = 48;
constexpr int64_t kLongestChunk = 8;

// Of each case; the full run asks for more.
int NumInterleavings() {
  const char* asked = std::getenv("INFER_TEST_INTERLEAVINGS");
  return asked == nullptr ? 4 : std::max(1, std::atoi(asked));
}

struct InterleavingCase {
  std::string name;
  std::string policy;
  std::vector<std::string> place;
  int threads;
  int32_t block_positions;
  // How far logits may be from those of the sequence alone, as a part of their root mean square: a
  // row of a step is added up and rounded as suits the number of rows. 0: the same bits.
  double tolerance;
};

// Seen: 0.012. Activations are rounded to int8, for each 128 or each 32 of them.
constexpr double kRounded = 0.03;

std::vector<InterleavingCase> Cases() {
  std::vector<InterleavingCase> cases;
  for (int32_t block_positions : {0, 4}) {
    const std::string cache = block_positions == 0 ? "_contiguous" : "_paged";
    cases.push_back({"reference" + cache, "reference", {}, 1, block_positions, 0});
    cases.push_back({"scalar" + cache, "scalar", {}, 1, block_positions, 0});
    cases.push_back({"test" + cache, "reference", {"test"}, 1, block_positions, 0});
    cases.push_back({"half_test" + cache, "scalar", {"layer=1=test"}, 1, block_positions, 0});
    cases.push_back({"simd" + cache, "simd", {}, 1, block_positions, kRounded});
    cases.push_back({"parallel" + cache, "parallel", {}, 2, block_positions, kRounded});
  }
  return cases;
}

const LoadedModel& ModelWith(int threads) {
  static const auto* alone =
      new LoadedModel("random_untied.gguf", RegistryWithTestDevice(TestPace::kLazy));
  static const auto* team = new LoadedModel(
      "random_untied.gguf", MakeKernelRegistry(ThreadTeamOptions{.threads = 2}).value());
  return threads == 1 ? *alone : *team;
}

std::shared_ptr<const Executable> ExecutableFor(const InterleavingCase& of) {
  static auto* made = new std::map<std::string, std::shared_ptr<const Executable>>();
  std::shared_ptr<const Executable>& executable = (*made)[of.name];
  if (executable == nullptr) {
    const LoadedModel& model = ModelWith(of.threads);
    Program program = model.Compile({.policy = of.policy,
                                     .place = of.place,
                                     .context = kSmallContext,
                                     .chunk = kLongestChunk,
                                     .sequences = kInterleaved});
    executable =
        Executable::CreateAlone(std::move(program), model.weights(), model.registry()).value();
  }
  return executable;
}

std::unique_ptr<Engine> NewEngine(const InterleavingCase& of) {
  return Engine::Create(ExecutableFor(of), {.context = kSmallContext,
                                            .sequences = kInterleaved,
                                            .block_positions = of.block_positions})
      .value();
}

std::vector<float> Copy(std::span<const float> logits) { return {logits.begin(), logits.end()}; }

int32_t Best(std::span<const float> logits) {
  return static_cast<int32_t>(std::ranges::max_element(logits) - logits.begin());
}

// A text in progress: a prompt, then tokens chosen greedily.
struct Text {
  std::vector<int32_t> prompt;
  size_t length;                                // of the continuation
  int parent = -1;                              // an earlier text whose prompt begins this one's
  std::vector<int32_t> ids = {};                // continued so far
  std::vector<std::vector<float>> logits = {};  // that each of them was chosen by
  std::vector<int32_t> forced = {};             // taken instead of the best, if there are any
  SequenceId sequence = -1;
  size_t run = 0;  // tokens of prompt and ids that have been run

  bool started() const { return sequence >= 0; }
  bool done() const { return ids.size() == length; }
  // The next tokens to run, at most `most`.
  std::vector<int32_t> Next(size_t most) const {
    std::vector<int32_t> all = prompt;
    all.insert(all.end(), ids.begin(), ids.end());
    const size_t end = std::min(all.size(), run + most);
    return {all.begin() + static_cast<int64_t>(run), all.begin() + static_cast<int64_t>(end)};
  }
  void Take(std::span<const float> found) {
    logits.push_back(Copy(found));
    ids.push_back(forced.empty() ? Best(found) : forced[ids.size()]);
  }
};

// More texts than sequences: some wait for room. Some begin as an earlier one does.
std::vector<Text> Texts(std::mt19937& random) {
  std::vector<Text> texts;
  for (int i = 0; i < kInterleaved + 1; ++i) {
    Text text{.prompt = {}, .length = 1 + random() % 8};
    if (i > 0 && random() % 2 == 0) {
      text.parent = static_cast<int>(random() % static_cast<unsigned>(i));
      text.prompt = texts[static_cast<size_t>(text.parent)].prompt;
    }
    const size_t more = 1 + random() % 16;
    for (size_t k = 0; k < more; ++k) text.prompt.push_back(static_cast<int32_t>(random() % 250));
    text.prompt.resize(std::min<size_t>(text.prompt.size(), kSmallContext - 10));
    texts.push_back(std::move(text));
  }
  return texts;
}

int num_clones = 0;  // of all texts so far

// Begins the text if there is room: as a clone of its parent where that holds just the common part.
bool Start(Engine& engine, std::vector<Text>& texts, Text& text) {
  if (text.parent >= 0) {
    const Text& parent = texts[static_cast<size_t>(text.parent)];
    if (parent.started() && !parent.done() && parent.run <= parent.prompt.size() &&
        parent.run < text.prompt.size()) {
      absl::StatusOr<SequenceId> clone = engine.Clone(parent.sequence);
      if (clone.ok()) {
        text.sequence = *clone;
        text.run = parent.run;
        ++num_clones;
        return true;
      }
    }
  }
  absl::StatusOr<SequenceId> made = engine.NewSequence();
  if (made.ok()) text.sequence = *made;
  return made.ok();
}

void RunMixed(Engine& engine, std::vector<Text>& texts, std::mt19937 random) {
  auto unfinished = [](const Text& text) { return !text.done(); };
  while (std::ranges::any_of(texts, unfinished)) {
    std::vector<Text*> taking_part;
    for (Text& text : texts) {
      if (text.done() || random() % 3 == 0) continue;
      if (text.started() || Start(engine, texts, text)) taking_part.push_back(&text);
    }
    if (taking_part.empty()) continue;
    std::shuffle(taking_part.begin(), taking_part.end(), random);
    std::vector<std::vector<int32_t>> tokens;
    std::vector<StepRequest> requests;
    size_t room = static_cast<size_t>(engine.max_step_tokens());
    for (Text* text : taking_part) {
      const size_t others = taking_part.size() - tokens.size() - 1;
      tokens.push_back(text->Next(1 + random() % (room - others)));
      room -= tokens.back().size();
    }
    for (size_t i = 0; i < tokens.size(); ++i) {
      requests.push_back({taking_part[i]->sequence, tokens[i], 1});
    }
    ASSERT_EQ(engine.Step(requests), absl::OkStatus());
    for (size_t i = 0; i < requests.size(); ++i) {
      Text& text = *taking_part[i];
      text.run += tokens[i].size();
      if (text.run < text.prompt.size() + text.ids.size()) continue;
      text.Take(engine.logits(i));
      if (text.done()) engine.Release(text.sequence);
    }
  }
}

// The text by itself, its prompt in whole chunks.
void RunAlone(const InterleavingCase& of, Text& text) {
  InterleavingCase contiguous = of;
  contiguous.block_positions = 0;
  std::shared_ptr<Engine> engine = NewEngine(contiguous);
  std::unique_ptr<Session> session = Session::Create(engine).value();
  ASSERT_EQ(session->Prefill(text.prompt), absl::OkStatus());
  text.Take(session->logits());
  while (!text.done()) {
    ASSERT_EQ(session->Decode(text.ids.back()), absl::OkStatus());
    text.Take(session->logits());
  }
}

double RootMeanSquare(std::span<const float> values) {
  double sum = 0;
  for (float value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// The largest difference as a part of the root mean square of what is expected.
double Difference(std::span<const float> found, std::span<const float> expected) {
  double worst = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const double difference = std::abs(found[i] - expected[i]);
    if (!(difference <= worst)) worst = difference;  // so that NaN stays
  }
  return worst / RootMeanSquare(expected);
}

class InterleavingsTest : public ::testing::TestWithParam<InterleavingCase> {
 protected:
  void SetUp() override {
    if (GetParam().tolerance > 0 && simd::ChosenLevel().level == nullptr) {
      GTEST_SKIP() << simd::ChosenLevel().reason;
    }
  }
};

TEST_P(InterleavingsTest, EachSequenceGetsWhatItGetsAlone) {
  const InterleavingCase& of = GetParam();
  double worst = 0;
  num_clones = 0;
  for (int seed = 1; seed <= NumInterleavings(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    std::vector<Text> alone = Texts(random);
    for (Text& text : alone) RunAlone(of, text);
    std::vector<Text> mixed = Texts(random = std::mt19937(static_cast<uint32_t>(seed)));
    if (of.tolerance > 0) {
      for (size_t i = 0; i < mixed.size(); ++i) mixed[i].forced = alone[i].ids;
    }
    std::vector<Text> again = mixed;
    RunMixed(*NewEngine(of), mixed, random);
    for (size_t i = 0; i < mixed.size(); ++i) {
      if (of.tolerance == 0) {
        ASSERT_EQ(mixed[i].ids, alone[i].ids) << "text " << i;
      }
      for (size_t k = 0; k < mixed[i].ids.size(); ++k) {
        if (of.tolerance == 0) {
          ASSERT_EQ(mixed[i].logits[k], alone[i].logits[k]) << "text " << i << ", token " << k;
        } else {
          const double difference = Difference(mixed[i].logits[k], alone[i].logits[k]);
          ASSERT_TRUE(std::isfinite(difference)) << "text " << i << ", token " << k;
          worst = std::max(worst, difference);
        }
      }
    }
    RunMixed(*NewEngine(of), again, random);
    for (size_t i = 0; i < mixed.size(); ++i) {
      ASSERT_EQ(again[i].logits, mixed[i].logits) << "text " << i << " of the same schedule again";
    }
  }
  EXPECT_LE(worst, of.tolerance);
  EXPECT_GT(num_clones, 0) << "no interleaving has a clone";
  RecordProperty("worst_difference", std::to_string(worst));
}

TEST_P(InterleavingsTest, ACloneGoesOnAsTheOriginalDoes) {
  const std::unique_ptr<Engine> engine = NewEngine(GetParam());
  const std::vector<int32_t> prompt = {3, 14, 15, 92, 65, 35, 89};
  const SequenceId first = engine->NewSequence().value();
  const StepRequest request{first, prompt, 1};
  ASSERT_EQ(engine->Step({&request, 1}), absl::OkStatus());
  int32_t next = Best(engine->logits());
  absl::StatusOr<SequenceId> second = engine->Clone(first);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_THAT(engine->tokens(*second), ElementsAreArray(prompt));
  for (int i = 0; i < 6; ++i) {
    const std::vector<int32_t> token = {next};
    const StepRequest both[] = {{*second, token, 1}, {first, token, 1}};
    ASSERT_EQ(engine->Step(both), absl::OkStatus());
    EXPECT_EQ(Copy(engine->logits(0)), Copy(engine->logits(1)));
    next = Best(engine->logits(0));
  }
}

INSTANTIATE_TEST_SUITE_P(Placements, InterleavingsTest, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace infer
