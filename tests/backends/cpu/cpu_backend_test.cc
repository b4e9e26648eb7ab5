// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "ir/ops/ops.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Kernels have no state, so these write down their calls here.
std::vector<std::string>& Calls() {
  static auto* calls = new std::vector<std::string>();
  return *calls;
}
std::atomic<bool> stop_flag = false;

Decision Yes(const Node&) { return Decision::Accept(); }
void Write(std::string_view name, int64_t begin, int64_t end) {
  Calls().push_back(std::string(name) + " " + std::to_string(begin) + ".." + std::to_string(end));
}

const CpuKernel kFirst[] = {
    {.info = {.name = "add_one", .op = &ops::kAdd, .target = Target::kScalar, .accepts = Yes},
     .run = [](const KernelArgs&, int64_t b, int64_t e) { Write("add", b, e); }}};
const CpuKernel kSecond[] = {
    {.info = {.name = "silu_rows", .op = &ops::kSilu, .target = Target::kSimd, .accepts = Yes},
     .run = [](const KernelArgs&, int64_t b, int64_t e) { Write("silu", b, e); },
     .units = [](const KernelArgs& args) { return args.out().rows(); }},
    {.info = {.name = "stopper", .op = &ops::kSilu, .target = Target::kSimd, .accepts = Yes},
     .run = [](const KernelArgs&, int64_t b, int64_t e) {
       Write("stopper", b, e);
       stop_flag = true;
     }}};

class CpuBackendTest : public ::testing::Test {
 protected:
  CpuBackendTest() {
    Calls().clear();
    stop_flag = false;
    output_.tensor.rank = 2;
    output_.tensor.dims[0] = 5;
    output_.tensor.dims[1] = 3;
    args_.outputs = {&output_, 1};
    node_ = graph_.AddInput("x", ValueType::F32({Symbol::kT}));
  }

  // A step with a kernel of that name, or a view.
  PreparedStep Step(std::string_view kernel) {
    PreparedStep step;
    step.node = node_;
    if (!kernel.empty()) step.bound = backend_.Bind(*node_, kernel).value();
    return step;
  }

  absl::Status Run(std::vector<PreparedStep> steps, const RunContext& context = {}) {
    auto segment = backend_.Prepare(std::move(steps), 0);
    if (!segment.ok()) return segment.status();
    return (*segment)->Run(context, {.args = {&args_, 1}});
  }

  const std::span<const CpuKernel> tables_[2] = {kFirst, kSecond};
  CpuBackend backend_{tables_};
  Graph graph_;
  Node* node_;
  Operand output_;
  KernelArgs args_;
};

TEST_F(CpuBackendTest, JoinsTheTablesOfItsTargets) {
  std::vector<std::string> names;
  for (const KernelInfo& info : backend_.kernels()) names.emplace_back(info.name);
  EXPECT_THAT(names, ElementsAre("add_one", "silu_rows", "stopper"));
  EXPECT_EQ(backend_.device(), Device::kCpu);
}

TEST_F(CpuBackendTest, RunsStepsInOrderWithAllTheirUnits) {
  ASSERT_EQ(Run({Step("silu_rows"), Step("add_one")}), absl::OkStatus());
  EXPECT_THAT(Calls(), ElementsAre("silu 0..5", "add 0..1"));
}

TEST_F(CpuBackendTest, ViewsRunNothing) {
  ASSERT_EQ(Run({Step(""), Step("add_one"), Step("")}), absl::OkStatus());
  EXPECT_THAT(Calls(), ElementsAre("add 0..1"));
}

TEST_F(CpuBackendTest, RefusesAKernelItDoesNotHave) {
  absl::Status status = backend_.Bind(*node_, "add_two").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("add_two"));
}

TEST_F(CpuBackendTest, BindsWhatAKernelMakesOfItsNode) {
  const CpuKernel kBinding[] = {
      {.info = {.name = "binds", .op = &ops::kSilu, .target = Target::kSimd, .accepts = Yes},
       .run = [](const KernelArgs&, int64_t, int64_t) {},
       .bind = [](const Node& node) -> std::shared_ptr<const void> {
         return std::make_shared<std::string>(node.result().name);
       }}};
  const std::span<const CpuKernel> tables[] = {kBinding};
  absl::StatusOr<BoundKernel> bound = CpuBackend(tables).Bind(*node_, "binds");
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(*static_cast<const std::string*>(bound->constants.get()), "x");
}

TEST_F(CpuBackendTest, StopsBetweenSteps) {
  RunContext context;
  context.stop = &stop_flag;
  EXPECT_EQ(Run({Step("add_one"), Step("stopper"), Step("add_one")}, context).code(),
            absl::StatusCode::kCancelled);
  EXPECT_THAT(Calls(), ElementsAre("add 0..1", "stopper 0..1"));
}

TEST_F(CpuBackendTest, ObserverComesAfterEachStep) {
  class Observer : public StepObserver {
    void AfterStep(const Node& node, const KernelArgs& args) override {
      Write(node.result().name, args.out().rows(), 0);
    }
  } observer;
  RunContext context;
  context.observer = &observer;
  ASSERT_EQ(Run({Step("add_one"), Step("add_one")}, context), absl::OkStatus());
  EXPECT_THAT(Calls(), ElementsAre("add 0..1", "x 5..0", "add 0..1", "x 5..0"));
}

}  // namespace
}  // namespace infer
