// SPDX-License-Identifier: Apache-2.0
//
// The default pipeline on random graphs: whatever the passes do, and whichever of them is left out,
// the numbers stay the same bit for bit, and no plan lets a value be overwritten while it is
// needed.
//
// INFER_PROPERTY_SEED and INFER_PROPERTY_COUNT choose the graphs; a failure prints the seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "backends/backends.h"
#include "ir/base/strings.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "passes/compile.h"
#include "passes/registry.h"
#include "tests/support/check_memory_plan.h"
#include "tests/support/graph_test.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_weights.h"
#include "tests/support/same_numbers.h"

namespace infer {
namespace {

using test::CallNumbers;
using test::ExpectSameNumbers;
using test::MemoryPlanError;
using test::RandomGraph;
using test::RandomGraphSymbols;
using test::RandomWeights;
using test::RuleFor;
using test::RunCalls;

constexpr uint64_t kDefaultCount = 300;

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Everything on scalar; rules that differ by rows cut the range of T into regimes.
Policy RandomPolicy(std::mt19937_64& random) {
  Policy policy;
  policy.name = "random";
  if (random() % 2 == 0) policy.composites = Policy::Composites::kDecompose;
  const char* const ops[] = {"linear", "add", "", "multi_linear", "attention"};
  for (uint64_t i = random() % 3; i > 0; --i) {
    Rule rule = RuleFor(StrCat("rule", i), {Target::kScalar});
    rule.op = ops[random() % std::size(ops)];
    rule.rows.min = static_cast<int64_t>(2 + random() % 7);
    policy.rules.push_back(rule);
  }
  policy.rules.push_back(RuleFor("all", {Target::kScalar}));
  return policy;
}

// The passes that need not run; each is drawn if `all` or by chance.
std::vector<std::string> SomeToSkip(std::mt19937_64& random, bool all) {
  std::vector<std::string> names;
  for (const PassInfo& pass : AllPasses()) {
    if (pass.runs != PassRuns::kOnce || !pass.keeps_stage()) continue;
    if (all || random() % 4 == 0) names.push_back(pass.name);
  }
  return names;
}

class PipelineProperty : public ::testing::Test {
 protected:
  // The numbers of the graph, compiled without the passes in `skip`.
  std::vector<CallNumbers> Numbers(const Graph& graph, const CompileOptions& options,
                                   uint64_t seed) {
    RandomWeights weights(seed);
    weights.AddWeightsOf(graph);
    auto program = CompileProgram(graph.Clone(), weights, *registry_, options);
    EXPECT_TRUE(program.ok()) << program.status() << "\n" << PrintGraph(graph);
    if (!program.ok()) return {};
    for (const PassRecord& record : program->passes) {
      if (record.changed) changing_.insert(record.name);
    }
    regimes_ += program->regimes.size();
    for (const Regime& regime : program->regimes) {
      EXPECT_EQ(MemoryPlanError(regime.graph), "") << PrintGraph(regime.graph);
    }
    auto numbers = RunCalls(*std::move(program), weights, seed);
    EXPECT_TRUE(numbers.ok()) << numbers.status() << "\n" << PrintGraph(graph);
    return numbers.ok() ? *std::move(numbers) : std::vector<CallNumbers>();
  }

  std::unique_ptr<KernelRegistry> registry_ = MakeKernelRegistry();
  std::set<std::string> changing_;  // passes that changed some graph
  size_t regimes_ = 0;
};

TEST_F(PipelineProperty, NumbersDoNotDependOnThePasses) {
  uint64_t first = FromEnvironment("INFER_PROPERTY_SEED", 1);
  uint64_t count = FromEnvironment("INFER_PROPERTY_COUNT", kDefaultCount);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(StrCat("INFER_PROPERTY_SEED=", seed, " INFER_PROPERTY_COUNT=1"));
    std::mt19937_64 random(seed);
    Graph graph = RandomGraph(seed);
    ASSERT_EQ(Verify(graph), absl::OkStatus()) << PrintGraph(graph);
    CompileOptions options;
    options.symbols = RandomGraphSymbols();
    options.policy = RandomPolicy(random);
    options.skip = SomeToSkip(random, /*all=*/true);
    std::vector<CallNumbers> expected = Numbers(graph, options, seed);
    for (bool some : {false, true}) {
      options.skip = some ? SomeToSkip(random, /*all=*/false) : std::vector<std::string>();
      ExpectSameNumbers(expected, Numbers(graph, options, seed), 0);
    }
    if (HasFailure()) FAIL() << PrintGraph(graph);
  }
  if (count < kDefaultCount) return;
  EXPECT_GT(regimes_, 4 * count) << "the policies must cut regimes";
  for (const PassInfo& pass : AllPasses()) {
    if (pass.name == "smooth-placement") continue;  // everything is on one target here
    if (pass.name == "shard-graph") continue;       // one process runs these
    if (pass.name == "shorten-messages") continue;  // and has no messages
    if (pass.name == "round-parts") continue;       // nor parts
    if (pass.name == "share-rows") continue;        // nor rows of others
    if (pass.name == "fuse-for-target") continue;   // scalar runs none of its composites
    // The logits are in the memory of the cpu.
    if (pass.name == "select-candidates") continue;
    EXPECT_TRUE(pass.runs == PassRuns::kOnRequest || changing_.contains(pass.name))
        << "no graph had work for " << pass.name;
  }
}

}  // namespace
}  // namespace infer
