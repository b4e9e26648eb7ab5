// SPDX-License-Identifier: Apache-2.0
#include "tools/api/mapped_experts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/simd/levels/choose_level.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using test::LoadedModel;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kGiB = uint64_t{1} << 30;

bool IsPacked(const Node& node) {
  return std::ranges::any_of(
      node.placement()->kernel_record.weight_layouts,
      [](const std::string& layout) { return !layout.empty() && layout != "gguf"; });
}

// How many nodes with and without experts read packed weights.
std::pair<int, int> PackedNodes(const Program& program) {
  int experts = 0, others = 0;
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement() || !IsPacked(*node)) continue;
      ++(node->op().traits.expert_input >= 0 ? experts : others);
    }
  }
  return {experts, others};
}

TEST(MappedExperts, OnlyTheExpertsStayInTheFile) {
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  const LoadedModel model("tiny-tales-moe-q8_0.gguf");
  CompileModelOptions options;
  const auto [packed_experts, packed_others] = PackedNodes(model.Compile(options));
  EXPECT_GT(packed_experts, 0);
  EXPECT_GT(packed_others, 0);
  options.no_pack_experts = true;
  const auto [experts, others] = PackedNodes(model.Compile(options));
  EXPECT_EQ(experts, 0);
  EXPECT_EQ(others, packed_others);
}

TEST(MappedExperts, TheReasonNamesWhatLimitsMemory) {
  const LoadedModel model("tiny-tales-moe-q8_0.gguf");
  const Program program = model.Compile({.policy = "reference"});
  const Graph& graph = program.regimes.front().graph;
  MachineMemory memory;
  EXPECT_EQ(WhyExpertsStayMapped(graph, 100 * kGiB, memory), "");  // nothing is known
  memory.total_bytes = 32 * kGiB;
  EXPECT_EQ(WhyExpertsStayMapped(graph, 28 * kGiB, memory), "");
  EXPECT_EQ(WhyExpertsStayMapped(graph, 30 * kGiB, memory),
            "weights and cache of 30.0 GiB do not fit into 32.0 GiB of memory");
  memory.limit_bytes = 64 * kGiB;  // above what there is
  EXPECT_THAT(WhyExpertsStayMapped(graph, 30 * kGiB, memory), Not(HasSubstr("group")));
  memory.limit_bytes = 8 * kGiB;
  EXPECT_EQ(WhyExpertsStayMapped(graph, 8 * kGiB, memory),
            "weights and cache of 8.0 GiB do not fit into 8.0 GiB of memory, the limit of the "
            "control group");
}

TEST(MappedExperts, ModelsWithoutExpertsAreNotConcerned) {
  const LoadedModel model("");
  const Program program = model.Compile({.policy = "reference"});
  MachineMemory memory;
  memory.total_bytes = 1 << 20;
  EXPECT_EQ(WhyExpertsStayMapped(program.regimes.front().graph, 100 * kGiB, memory), "");
}

}  // namespace
}  // namespace infer
