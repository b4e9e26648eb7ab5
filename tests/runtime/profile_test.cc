// SPDX-License-Identifier: Apache-2.0
#include "runtime/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph/placement.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using test::SampleProgram;
using ::testing::HasSubstr;

Profile ProfileOf(const Program& program) {
  Profile profile;
  profile.model = program.model;
  profile.policy = program.policy.name;
  profile.program = ProgramKey(program);
  for (const Regime& regime : program.regimes) {
    ProfileRegime& made = profile.regimes.emplace_back();
    const std::vector<uint64_t> ids = NodeIds(regime.graph);
    const std::vector<Node*> nodes = regime.graph.nodes();
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i]->placement()) made.nodes.emplace_back().id = ids[i];
    }
  }
  return profile;
}

std::string Refusal(const Program& program, const Profile& profile) {
  absl::Status status = CheckProfileOf(program, profile, "p.pb");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

TEST(ProgramKey, IsThatOfWhatRuns) {
  const uint64_t key = ProgramKey(SampleProgram());
  Program program = SampleProgram();
  program.machine.text = "name: \"another\"";
  program.symbols[Symbol::kS].max *= 2;
  EXPECT_EQ(ProgramKey(program), key);

  Program other_kernel = SampleProgram();
  for (Node* node : other_kernel.regimes[1].graph.nodes()) {
    if (!node->placement()) continue;
    Placement placement = *node->placement();
    placement.kernel += "_v2";
    node->set_placement(placement);
    break;
  }
  EXPECT_NE(ProgramKey(other_kernel), key);

  Program other_model = SampleProgram();
  other_model.model.header_hash = "f" + other_model.model.header_hash.substr(1);
  EXPECT_NE(ProgramKey(other_model), key);

  Program other_regimes = SampleProgram();
  other_regimes.regimes[0].max_tokens -= 1;
  EXPECT_NE(ProgramKey(other_regimes), key);
}

TEST(CheckProfileOf, AcceptsTheProgramThatWasRun) {
  const Program program = SampleProgram();
  EXPECT_EQ(CheckProfileOf(program, ProfileOf(program), "p.pb"), absl::OkStatus());
}

TEST(CheckProfileOf, SaysWhatIsAnothers) {
  const Program program = SampleProgram();
  Profile other_model = ProfileOf(program);
  other_model.model.header_hash = "00";
  other_model.model.files = {{"other.gguf", 1}};
  EXPECT_THAT(Refusal(program, other_model), HasSubstr("p.pb: is a profile of another program"));
  EXPECT_THAT(Refusal(program, other_model), HasSubstr("it ran other.gguf"));
  Profile other_policy = ProfileOf(program);
  other_policy.policy = "tutorial";
  EXPECT_THAT(Refusal(program, other_policy), HasSubstr("it ran policy tutorial"));
  Profile other_nodes = ProfileOf(program);
  other_nodes.program ^= 1;
  EXPECT_THAT(Refusal(program, other_nodes), HasSubstr("nodes, kernels or regimes differ"));
  Profile fewer_regimes = ProfileOf(program);
  fewer_regimes.regimes.pop_back();
  EXPECT_THAT(Refusal(program, fewer_regimes), HasSubstr("nodes, kernels or regimes differ"));
  Profile unknown_node = ProfileOf(program);
  ASSERT_FALSE(unknown_node.regimes[0].nodes.empty());
  unknown_node.regimes[0].nodes[0].id ^= 1;
  EXPECT_THAT(Refusal(program, unknown_node), HasSubstr("nodes, kernels or regimes differ"));
}

TEST(CallGroup, MeanSymbolsAreRounded) {
  CallGroup group;
  EXPECT_EQ(group.MeanSymbols().t, 0);
  group.calls = 4;
  group.tokens = 6;
  group.logit_rows = 4;
  group.positions = 41;
  EXPECT_EQ(group.MeanSymbols().t, 2);
  EXPECT_EQ(group.MeanSymbols().r, 1);
  EXPECT_EQ(group.MeanSymbols().s, 10);
  EXPECT_EQ(group.MeanSymbols().sequences, 1);  // a file that does not say
  group.sequences = 11;
  EXPECT_EQ(group.MeanSymbols().sequences, 3);
}

TEST(NodeTiming, ImbalanceIsTheBusiestThreadOverTheMean) {
  NodeTiming timing;
  EXPECT_EQ(timing.imbalance(4), 1.0);  // nothing was measured
  timing.busy_ns = 400;
  timing.busy_max_ns = 100;
  EXPECT_DOUBLE_EQ(timing.imbalance(4), 1.0);
  timing.busy_max_ns = 400;  // one thread did it all
  EXPECT_DOUBLE_EQ(timing.imbalance(4), 4.0);
}

TEST(NodeTiming, WaitShareIsOfTheThreadsOwnTime) {
  NodeTiming timing;
  EXPECT_EQ(timing.wait_share(), 0.0);  // nothing was measured
  timing.total_ns = 10;                 // thread 0 came when the others had waited long
  timing.busy_ns = 100;
  timing.wait_ns = 300;
  EXPECT_DOUBLE_EQ(timing.wait_share(), 0.75);
  timing.busy_ns = 0;
  EXPECT_DOUBLE_EQ(timing.wait_share(), 1.0);
}

}  // namespace
}  // namespace infer
