// SPDX-License-Identifier: Apache-2.0
//
// What dividing a model costs before it runs: the bytes of weights that a rank loads, and the work
// to compile. Models of full size are files that are mostly holes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "ir/base/strings.h"
#include "runtime/packed_weights.h"
#include "tests/model/loaded_model.h"
#include "tests/model/rank_team.h"
#include "tools/synth/synth.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::RankTeam;

SynthOptions OptionsOf(std::string_view shape, std::string_view type) {
  SynthOptions options;
  options.shape = *FindShape(shape);
  options.type = *FindWeightType(type);
  options.vocabulary_kind = VocabularyKind::kSmall;
  options.vocabulary_tokens = options.shape.vocabulary_tokens;
  return options;
}

// A file with the header of such a model, and holes for most of its weights.
class HollowModel {
 public:
  explicit HollowModel(SynthOptions options)
      : folder_(StrCat(::testing::TempDir(), "/hollow_", getpid())) {
    std::filesystem::create_directory(folder_);
    options.output_path = folder_ / "unfinished";
    // The first piece comes after the header. Until the end there is only the unfinished file.
    const absl::Status stopped = WriteSynthModel(options, [&](const SynthProgress& progress) {
      std::filesystem::copy_file(std::filesystem::directory_iterator(folder_)->path(), path());
      std::filesystem::resize_file(path(), progress.file_bytes);
      return false;
    });
    EXPECT_EQ(stopped.code(), absl::StatusCode::kCancelled) << stopped;
  }
  ~HollowModel() {
    std::filesystem::remove_all(folder_);
    std::filesystem::remove(path());
  }

  std::string path() const { return folder_.string() + ".gguf"; }

 private:
  std::filesystem::path folder_;
};

uint64_t WeightBytes(const LoadedModel& model, int64_t ranks) {
  CompileModelOptions options = {.policy = "auto", .hash = HashMode::kSampled};
  options.shard.ranks = ranks;
  uint64_t sum = 0;
  for (const auto& [layout, bytes] :
       WeightBytesByLayout(model.Compile(options), model.registry())) {
    sum += bytes;
  }
  return sum;
}

TEST(ShardCost, ARankLoadsItsShareOf8B) {
  for (const char* type : {"q8_0", "q4_k_m"}) {
    for (bool tied : {false, true}) {
      SynthOptions options = OptionsOf("8b", type);
      options.shape.tied = tied;
      const HollowModel file(options);
      const LoadedModel model(file.path());
      const auto whole = static_cast<double>(WeightBytes(model, 1));
      EXPECT_GT(whole, 4e9);
      EXPECT_LE(static_cast<double>(WeightBytes(model, 2)), 0.55 * whole) << type << " " << tied;
      EXPECT_LE(static_cast<double>(WeightBytes(model, 4)), 0.30 * whole) << type << " " << tied;
    }
  }
}

// What is predicted above is what the loader allocates, up to the alignment of each weight.
TEST(ShardCost, ARankLoadsWhatIsPredicted) {
  for (bool tied : {false, true}) {
    SynthOptions options = OptionsOf("0.6b", "q8_0");
    options.shape.layers = 2;
    options.shape.tied = tied;
    options.vocabulary_tokens = 4096;
    options.output_path = StrCat(::testing::TempDir(), "/shard_cost.gguf");
    ASSERT_TRUE(WriteSynthModel(options).ok());
    const LoadedModel model(options.output_path);
    for (int64_t ranks : {2, 4}) {
      CompileModelOptions divided = {.policy = "auto", .context = 128, .chunk = 32};
      divided.shard.ranks = ranks;
      const Program program = model.Compile(divided);
      uint64_t packed = 0;
      for (const auto& [layout, bytes] : WeightBytesByLayout(program, model.registry())) {
        packed += layout == kGgufLayout ? 0 : bytes;
      }
      const RankTeam team(model.file(), divided);
      ASSERT_TRUE(team.status().ok()) << team.status();
      EXPECT_GE(team.packed_bytes(), packed);
      EXPECT_LE(team.packed_bytes(), packed + 64 * program.weights.size());
    }
  }
}

// Returns how many nodes a compilation passes over, those of each pass and each regime counted.
int64_t NodesVisited(uint32_t layers, int64_t ranks) {
  SynthOptions synth = OptionsOf("0.6b", "q8_0");
  synth.shape.layers = layers;
  const HollowModel file(synth);
  const LoadedModel model(file.path());
  int64_t visited = 0;
  CompileModelOptions options = {.policy = "auto"};
  options.shard.ranks = ranks;
  options.observer.before = [&visited](std::string_view, int32_t, const Graph& graph) {
    visited += std::ssize(graph.nodes());
  };
  model.Compile(options);
  return visited;
}

// A compilation of 28 layers takes 0.1 s, nearly all of it in the passes.
TEST(ShardCost, CompilingADividedModelVisitsFewMoreNodes) {
  const int64_t alone = NodesVisited(28, 1), divided = NodesVisited(28, 4);
  RecordProperty("nodes_alone", static_cast<int>(alone));
  RecordProperty("nodes_divided", static_cast<int>(divided));
  EXPECT_GT(alone, 28);
  EXPECT_LE(divided, alone + alone / 4);  // 8% more in the default pipeline
  EXPECT_LE(divided, 2 * NodesVisited(14, 4)) << "more layers need more regimes or passes";
}

}  // namespace
}  // namespace infer
