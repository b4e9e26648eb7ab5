// SPDX-License-Identifier: Apache-2.0
#include "runtime/poison.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "backends/backends.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "runtime/executor.h"
#include "tests/runtime/tiny_program.h"
#include "tests/support/loaded_program.h"

namespace infer {
namespace {

using test::TinyProgram;
using test::TinyWeights;
using test::VectorWeights;

// Runs the tiny program, whose plan a test may damage first. Skips the test in builds that do not
// overwrite dead memory.
class PoisonTest : public ::testing::Test {
 protected:
  void SetUp() override {
    program_ = TinyProgram(weights_);
    std::byte unused{};
    if (Poisoner::CreateIfDebugging(graph(), &unused) == nullptr) {
      GTEST_SKIP() << "dead memory is overwritten in builds with asserts only";
    }
  }

  Graph& graph() { return program_.regimes[0].graph; }

  Slot& SlotOf(Plan& plan, const OpDef& op) {
    std::vector<Node*> nodes = graph().nodes();
    for (Slot& slot : plan.slots) {
      if (nodes[slot.value.node]->Is(op)) return slot;
    }
    ADD_FAILURE() << "no slot of " << op.name;
    return plan.slots[0];
  }

  void Run(StepObserver* observer = nullptr) {
    auto created = test::LoadedProgram::Create(std::move(program_), weights_, *registry_);
    ASSERT_TRUE(created.ok()) << created.status();
    loaded_ = *std::move(created);
    executor_ = &loaded_->executor();
    const std::vector<int32_t> ids = {3, 5};
    const std::vector<int32_t> rows = {1};
    Batch batch;
    batch.out_rows = rows;
    const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(std::span(ids)), {}};
    RunContext context;
    context.observer = observer;
    ASSERT_EQ(executor_->Run({2, 1, 1}, inputs, batch, context), absl::OkStatus());
  }

  VectorWeights weights_ = TinyWeights();
  std::unique_ptr<KernelRegistry> registry_ = MakeKernelRegistry();
  Program program_;
  std::unique_ptr<test::LoadedProgram> loaded_;
  Executor* executor_ = nullptr;
};

TEST_F(PoisonTest, LeavesTheResultsOfTheGraphAlone) {
  Run();
  EXPECT_EQ(executor_->result(0).f32()[0], 100.0f);  // twice column 0 of row 5
  EXPECT_EQ(executor_->result(1).f32()[0], 60.0f);
}

TEST_F(PoisonTest, OverwritesWhatHasBeenReadForTheLastTime) {
  Run();
  const int tokens = loaded_->executable().regimes()[0].inputs[0];
  EXPECT_EQ(loaded_->context().regimes()[0].operands[tokens].tensor.i32()[0], -1) << "the tokens";
}

TEST_F(PoisonTest, ShowsAValueThatIsReadAfterItsPlannedLife) {
  Plan plan = *graph().plan();
  SlotOf(plan, ops::kSelectRows).last_step -= 1;  // the linear that reads it comes after
  graph().set_plan(plan);
  Run();
  EXPECT_TRUE(std::isnan(executor_->result(0).f32()[0]));
  EXPECT_EQ(executor_->result(1).f32()[0], 60.0f) << "a value that has nothing to do with it";
}

// Adds up what the linear reads, after it has run.
class SumInputs : public StepObserver {
 public:
  void AfterStep(const Node& node, const KernelArgs& args) override {
    if (!node.Is(ops::kLinear)) return;
    for (int64_t i = 0; i < args.in(0).elements(); ++i) sum += args.in(0).f32()[i];
  }
  float sum = 0;
};

TEST_F(PoisonTest, LetsAnObserverSeeTheInputsOfAStepFirst) {
  SumInputs observer;
  Run(&observer);
  EXPECT_EQ(observer.sum, 2.0f * (50 + 51 + 52 + 53));
}

}  // namespace
}  // namespace infer
