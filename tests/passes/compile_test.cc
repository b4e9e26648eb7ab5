// SPDX-License-Identifier: Apache-2.0
#include "passes/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "ir/proto/serialize.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using test::TestMachine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Weights without bytes; hashes are made of the offset.
class FakeWeights : public WeightSource {
 public:
  FakeWeights() {
    model_.files = {{"fake.gguf", 100000}};
    model_.header_hash = "0123456789abcdef0123456789abcdef";
  }
  FakeWeights& Add(std::string name, std::vector<int64_t> dims) {
    uint64_t bytes = 4;
    for (int64_t dim : dims) bytes *= static_cast<uint64_t>(dim);
    weights_.push_back({std::move(name), DType::kF32, std::move(dims), 0, end_, bytes});
    end_ += bytes;
    return *this;
  }

  const ModelRef& model_ref() const override { return model_; }
  std::span<const WeightInfo> weights() const override { return weights_; }
  const WeightInfo* Find(std::string_view name) const override {
    for (const WeightInfo& weight : weights_) {
      if (weight.name == name) return &weight;
    }
    return nullptr;
  }
  std::span<const std::byte> Data(const WeightInfo&) const override { return {}; }
  uint64_t SampleHash(const WeightInfo& weight) const override {
    ++hashed;
    return 1000 + weight.offset;
  }
  uint64_t FullHash(const WeightInfo& weight) const override {
    ++hashed;
    return 2000 + weight.offset;
  }
  absl::Status Check() const override { return absl::OkStatus(); }

  mutable int hashed = 0;

 private:
  ModelRef model_;
  std::vector<WeightInfo> weights_;
  uint64_t end_ = 0;
};

constexpr std::string_view kModel = R"(
    graph @model stage(imported) (%x: f32[T,4], %b: batch) {
      %z = weight() {name = "z.weight"} : f32[4,4]
      %n = weight() {name = "a.norm"} : f32[4]
      %kv1 = kv_state() {id = 1} : kv<f16[1,4]>
      %kv0 = kv_state() {id = 0} : kv<f32[1,4]>
      %y = rms_norm(%x, %n) {eps = 1e-06} : f32[T,4] in "norm"
      %q = linear(%y, %z) : f32[T,4] in "q"
      %s0 = kv_write(%kv0, %q, %q, %b) : kv<f32[1,4]> in "layer.0/kv"
      %s1 = kv_write(%kv1, %q, %q, %b) : kv<f16[1,4]> in "layer.1/kv"
      %r = select_rows(%q, %b) : f32[R,4] in "rows"
      %l = linear(%r, %z) : f32[R,4] in "logits"
      return %l
    })";

FakeWeights ModelWeights() {
  FakeWeights weights;
  weights.Add("z.weight", {4, 4}).Add("unused", {7}).Add("a.norm", {4});
  return weights;
}

struct CompileTest : ::testing::Test {
  absl::StatusOr<Program> Compile(std::string_view text = kModel) {
    options.policy = machine.policy;
    options.symbols = machine.symbols;
    return CompileProgram(GraphOf(text), weights, machine.catalog, options);
  }

  TestMachine machine;
  CompileOptions options;
  FakeWeights weights = ModelWeights();
};

TEST_F(CompileTest, MakesAWholeProgram) {
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(Verify(*program), absl::OkStatus());
  EXPECT_EQ(program->model, weights.model_ref());
  EXPECT_EQ(program->policy, machine.policy);
  EXPECT_EQ(program->symbols, machine.symbols);
  ASSERT_EQ(program->regimes.size(), 1u);
  EXPECT_EQ(program->regimes[0].min_tokens, 1);
  EXPECT_EQ(program->regimes[0].max_tokens, 8);
  EXPECT_EQ(program->regimes[0].graph.stage(), Stage::kPlanned);
}

TEST_F(CompileTest, ListsTheWeightsInUseByName) {
  machine.catalog.SetWeightLayout("linear", Target::kScalar, "rows_of_four");
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ(program->weights.size(), 2u);
  const Weight& norm = program->weights[0];
  EXPECT_EQ(norm.name, "a.norm");
  EXPECT_EQ(norm.type, (TensorType{DType::kF32, {4}}));
  EXPECT_EQ(norm.offset, 92u);
  EXPECT_EQ(norm.bytes, 16u);
  EXPECT_EQ(norm.sample_hash, 1092u);
  EXPECT_EQ(norm.full_hash, std::nullopt);
  EXPECT_THAT(norm.layouts, ElementsAre("gguf"));
  EXPECT_EQ(program->weights[1].name, "z.weight");
  EXPECT_THAT(program->weights[1].layouts, ElementsAre("rows_of_four"));
}

TEST_F(CompileTest, HashesAsMuchAsAsked) {
  options.hash = HashMode::kNone;
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(weights.hashed, 0) << "a dry run reads no tensor data";
  EXPECT_EQ(program->weights[1].sample_hash, 0u);

  options.hash = HashMode::kFull;
  program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->weights[1].sample_hash, 1000u);
  EXPECT_EQ(program->weights[1].full_hash, 2000u);
}

TEST_F(CompileTest, ListsTheStatesByNumber) {
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ(program->states.size(), 2u);
  EXPECT_EQ(program->states[0].id, 0);
  EXPECT_EQ(program->states[0].dtype, DType::kF32);
  EXPECT_EQ(program->states[1].id, 1);
  EXPECT_EQ(program->states[1].layer, 1);
  EXPECT_EQ(program->states[1].dtype, DType::kF16);
  EXPECT_EQ(program->states[1].kv_heads, 1);
  EXPECT_EQ(program->states[1].head_dim, 4);
}

TEST_F(CompileTest, RecordsThePassesAndShowsThem) {
  std::vector<std::string> seen;
  options.observer.after = [&](const PassRecord& record, const Graph&, double) {
    seen.push_back(record.name);
  };
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  std::vector<std::string> recorded;
  for (const PassRecord& record : program->passes) recorded.push_back(record.name);
  std::vector<std::string> expected;
  for (const auto& list : {GraphPasses(), RegimePasses()}) {
    for (const auto& pass : list) expected.emplace_back(pass->name());
  }
  EXPECT_EQ(recorded, expected);
  EXPECT_EQ(seen, recorded);
  for (const PassRecord& record : program->passes) {
    if (record.name == "legalize") {
      EXPECT_GT(record.nodes_after, record.nodes_before);
    }
  }
}

TEST_F(CompileTest, GivesTheSameBytesTwice) {
  absl::StatusOr<Program> first = Compile();
  absl::StatusOr<Program> second = Compile();
  ASSERT_TRUE(first.ok() && second.ok());
  absl::StatusOr<std::string> first_bytes = SerializeProgram(*first);
  absl::StatusOr<std::string> second_bytes = SerializeProgram(*second);
  ASSERT_TRUE(first_bytes.ok()) << first_bytes.status();
  ASSERT_TRUE(second_bytes.ok()) << second_bytes.status();
  EXPECT_EQ(*first_bytes, *second_bytes);
}

TEST_F(CompileTest, SurvivesBeingStored) {
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  absl::StatusOr<std::string> bytes = SerializeProgram(*program);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  absl::StatusOr<Program> read = DeserializeProgram(*bytes, "p.pb");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(PrintProgram(*read), PrintProgram(*program));
}

TEST_F(CompileTest, ListsAWeightThatNoNodeReads) {
  options.skip = {"remove-dead-nodes"};
  absl::StatusOr<Program> program = Compile(R"(
      graph @g stage(imported) (%x: f32[T,4]) {
        %w = weight() {name = "a.norm"} : f32[4]
        %y = silu(%x) : f32[T,4]
        return %y
      })");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->weights.size(), 1u);
}

TEST_F(CompileTest, RefusesAWeightThatTheFileLacks) {
  weights = FakeWeights();
  weights.Add("a.norm", {4});
  EXPECT_THAT(Compile().status().ToString(), HasSubstr("weight z.weight is not in the model file"));
}

TEST_F(CompileTest, RefusesAWeightOfAnotherShape) {
  weights = FakeWeights();
  weights.Add("a.norm", {4}).Add("z.weight", {4, 5});
  EXPECT_THAT(Compile().status().ToString(), HasSubstr("is f32[4,4], but the weight is f32[4,5]"));
}

TEST_F(CompileTest, RefusesAGraphThatIsBoundAlready) {
  EXPECT_THAT(Compile(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %y = silu(%x) : f32[T,4]
        return %y
      })")
                  .status()
                  .ToString(),
              HasSubstr("needs a graph at stage imported, this one is bound"));
}

TEST_F(CompileTest, RefusesAnInvalidGraph) {
  Graph graph("empty");
  EXPECT_THAT(
      CompileProgram(std::move(graph), weights, machine.catalog, options).status().ToString(),
      HasSubstr("has no results"));
}

TEST_F(CompileTest, RefusesWhatNoTargetRuns) {
  machine.catalog.Refuse("linear", Target::kScalar, "out of order");
  absl::Status status = Compile().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(status.ToString(), HasSubstr("out of order"));
}

// Three rules for linear, all on scalar: T = 1..8 has three regimes.
struct RegimesTest : CompileTest {
  RegimesTest() {
    machine.symbols[Symbol::kR] = {1, 4};
    for (int64_t rows : {2, 6}) {
      Rule rule = test::RuleFor(rows == 2 ? "from-2" : "from-6", {Target::kScalar});
      rule.op = "linear";
      rule.rows.min = rows;
      machine.policy.rules.insert(machine.policy.rules.begin(), rule);
    }
  }
};

TEST_F(RegimesTest, AreAscendingAndCoverTheTokens) {
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  std::vector<std::string> intervals;
  for (const Regime& regime : program->regimes) {
    intervals.push_back(StrCat(regime.min_tokens, "..", regime.max_tokens));
    EXPECT_EQ(regime.graph.stage(), Stage::kPlanned);
  }
  EXPECT_THAT(intervals, ElementsAre("1..1", "2..5", "6..8"));
  EXPECT_EQ(Verify(*program), absl::OkStatus());
}

TEST_F(RegimesTest, WantNoMoreLogitsThanTheyHaveTokens) {
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->symbols[Symbol::kR], (Range{1, 4}));
  EXPECT_EQ(program->regimes[0].graph.symbols()[Symbol::kR], (Range{1, 1}));
  EXPECT_EQ(program->regimes[1].graph.symbols()[Symbol::kR], (Range{1, 4}));
  EXPECT_LT(program->regimes[0].graph.plan()->arenas[0].bytes,
            program->regimes[2].graph.plan()->arenas[0].bytes)
      << "each plan is for its own tokens";
}

TEST_F(RegimesTest, RecordTheirOwnPlacements) {
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  std::vector<std::string> rules;
  for (const Regime& regime : program->regimes) {
    const Node* linear = regime.graph.NodesOf(ops::kLinear)[0];
    rules.push_back(linear->placement()->rule);
    for (const Term& term : linear->placement()->terms) {
      EXPECT_EQ(term.lo, regime.min_tokens);
      EXPECT_EQ(term.hi, regime.max_tokens);
    }
  }
  EXPECT_THAT(rules, ElementsAre("all", "from-2", "from-6"));
}

TEST_F(RegimesTest, HaveARecordForEachPassThatRanForThem) {
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  std::map<int32_t, size_t> records;
  for (const PassRecord& record : program->passes) ++records[record.regime];
  EXPECT_EQ(records, (std::map<int32_t, size_t>{{0, GraphPasses().size()},
                                                {1, RegimePasses().size()},
                                                {2, RegimePasses().size()},
                                                {3, RegimePasses().size()}}));
}

TEST_F(RegimesTest, SurviveBeingStored) {
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  absl::StatusOr<std::string> bytes = SerializeProgram(*program);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  absl::StatusOr<Program> read = DeserializeProgram(*bytes, "p.pb");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(PrintProgram(*read), PrintProgram(*program));
  EXPECT_EQ(read->passes, program->passes);
}

TEST_F(CompileTest, LeavesOutWhatIsSkipped) {
  machine.catalog.Add("rms_norm", Target::kScalar);  // so that nothing needs to be expanded
  options.skip = {"legalize"};
  absl::StatusOr<Program> program = Compile();
  ASSERT_TRUE(program.ok()) << program.status();
  for (const PassRecord& record : program->passes) EXPECT_NE(record.name, "legalize");
}

TEST_F(CompileTest, RefusesToSkipLegalizeWhereItIsNeeded) {
  options.skip = {"legalize"};
  EXPECT_THAT(std::string(Compile().status().message()),
              HasSubstr("pass legalize cannot be skipped with policy test: it expands composite "
                        "ops"));
  machine.catalog.Add("rms_norm", Target::kScalar);
  EXPECT_TRUE(Compile().ok());
  machine.policy.composites = Policy::Composites::kDecompose;
  EXPECT_FALSE(Compile().ok()) << "the policy wants the parts";
}

TEST_F(CompileTest, RefusesToSkipWhatMovesTheStage) {
  options.skip = {"plan-memory"};
  EXPECT_THAT(std::string(Compile().status().message()),
              HasSubstr("pass plan-memory cannot be skipped"));
}

TEST_F(CompileTest, SaysHowLongItTookWithoutTheObserver) {
  using Clock = std::chrono::steady_clock;
  double ms = -1;
  options.compile_ms = &ms;
  Clock::duration slept = {};
  options.observer.before = [&](std::string_view, int32_t, const Graph&) {
    const Clock::time_point start = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    slept += Clock::now() - start;
  };
  const Clock::time_point start = Clock::now();
  ASSERT_TRUE(Compile().ok());
  const std::chrono::duration<double, std::milli> rest = Clock::now() - start - slept;
  EXPECT_GE(ms, 0);
  EXPECT_LE(ms, rest.count());
}

}  // namespace
}  // namespace infer
