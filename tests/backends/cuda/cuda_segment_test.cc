// SPDX-License-Identifier: Apache-2.0
//
// Which calls are recorded as graphs, and that a graph gives the bits of launches one by one.
#include "backends/cuda/cuda_segment.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "ir/base/strings.h"
#include "runtime/engine.h"
#include "tests/backends/cuda/registry.h"
#include "tests/cuda_emulation/stand_in_driver.h"
#include "tests/model/loaded_model.h"
#include "tools/synth/synth.h"

namespace infer::cuda {
namespace {

using test::LoadedModel;

TEST(CudaSegment, RecordsCallsWhoseLaunchesDependOnTheirTokensAlone) {
  // Calls with these numbers of tokens of their sequences.
  const auto recordable = [](const std::vector<int32_t>& counts) {
    std::vector<BatchSequence> sequences;
    int32_t tokens = 0;
    for (int32_t count : counts) {
      sequences.push_back({tokens, count, count, {}});
      tokens += count;
    }
    const std::vector<int32_t> positions(static_cast<size_t>(tokens));
    Batch batch;
    batch.token_pos = positions;
    batch.sequences = sequences;
    return IsRecordable(batch);
  };
  EXPECT_TRUE(recordable({1}));
  EXPECT_TRUE(recordable({15, 3, 15}));
  EXPECT_TRUE(recordable({16}));
  EXPECT_TRUE(recordable({64}));
  EXPECT_FALSE(recordable({65}));
  EXPECT_FALSE(recordable({16, 1})) << "17 tokens of one sequence have other launches";
  EXPECT_FALSE(recordable(std::vector<int32_t>(65, 1)));
}

constexpr int kSequences = 16;

std::string WriteModel() {
  SynthOptions options;
  options.shape = {
      .layers = 1, .hidden = 64, .heads = 2, .kv_heads = 1, .head_dim = 64, .feed_forward = 64};
  options.vocabulary_kind = VocabularyKind::kSmall;
  options.output_path = StrCat(::testing::TempDir(), "/cuda_graphs.gguf");
  const absl::Status status = WriteSynthModel(options);
  EXPECT_TRUE(status.ok()) << status;
  return options.output_path;
}

// The logits of the last row of each call: three times, a prompt of 16 tokens, the same prompt
// after 5 others, and a token of each of 16 sequences, which makes other launches for as many
// tokens and rows.
std::vector<std::vector<float>> LogitsOfCalls(const std::string& path, bool graphs) {
  cuda_emulation::SetSettings({.has_newer_functions = graphs});
  const LoadedModel model(path, RegistryWithCuda());
  CompileModelOptions options = {.policy = "cuda", .context = 64, .chunk = 32};
  options.sequences = options.logit_rows = kSequences;
  auto executable =
      Executable::CreateAlone(model.Compile(options), model.weights(), model.registry());
  EXPECT_TRUE(executable.ok()) << executable.status();
  auto engine =
      Engine::Create(*executable, {.context = 64, .sequences = kSequences, .block_positions = 8});
  EXPECT_TRUE(engine.ok()) << engine.status();
  std::vector<int32_t> prompt;
  for (int32_t i = 0; i < 16; ++i) prompt.push_back(7 + 11 * i);
  std::vector<std::vector<float>> found;
  const auto step = [&](std::span<const StepRequest> requests) {
    EXPECT_TRUE((*engine)->Step(requests).ok());
    const std::span<const float> row = (*engine)->logits(requests.size() - 1);
    found.emplace_back(row.begin(), row.end());
  };
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<SequenceId> ids;
    for (int i = 0; i < kSequences; ++i) ids.push_back((*engine)->NewSequence().value());
    step(std::array{StepRequest{ids[0], prompt, 1}});
    step(std::array{StepRequest{ids[1], std::span(prompt).first(5), 1}});
    step(std::array{StepRequest{ids[1], prompt, 1}});
    std::vector<StepRequest> each;
    for (int i = 0; i < kSequences; ++i) {
      each.push_back({ids[i], std::span(prompt).subspan(i, 1), i + 1 == kSequences ? 1 : 0});
    }
    step(each);
    for (SequenceId id : ids) (*engine)->Release(id);
  }
  return found;
}

TEST(CudaSegment, GraphsGiveTheBitsOfSingleLaunches) {
  const std::string path = WriteModel();
  const std::vector<std::vector<float>> expected = LogitsOfCalls(path, /*graphs=*/false);
  const int64_t replays = cuda_emulation::GraphReplays();
  EXPECT_EQ(LogitsOfCalls(path, /*graphs=*/true), expected);
  // The prompt from its second call on, each other call from its second turn on.
  EXPECT_EQ(cuda_emulation::GraphReplays(), replays + 5 + 2 + 2);
  cuda_emulation::SetSettings({});
}

}  // namespace
}  // namespace infer::cuda
