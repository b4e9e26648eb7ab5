// SPDX-License-Identifier: Apache-2.0
//
// A small Program on the software device.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/metal/metal_backend.h"
#include "backends/scalar/kernels.h"
#include "ir/base/strings.h"
#include "passes/compile.h"
#include "runtime/executor.h"
#include "tests/metal_emulation/emulation.h"
#include "tests/runtime/vector_weights.h"
#include "tests/support/graph_test.h"
#include "tests/support/loaded_program.h"

namespace infer::metal {

// Every object that a test makes is gone when it ends, and nothing was misused on the way.
class MetalBackendTest : public ::testing::Test {
 protected:
  MetalBackendTest() {
    weights_.Add("table", {8, 4}, Numbers(32));
    weights_.Add("output", {3, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
  }

  void SetUp() override {
    live_before_ = emulation::LiveObjects();
    NewRegistry();
  }
  void TearDown() override {
    loaded_.reset();
    registry_.reset();
    EXPECT_EQ(emulation::LiveObjects(), live_before_);
    EXPECT_EQ(emulation::counters().sets_never_requested, never_requested_before_);
    EXPECT_THAT(emulation::TakeProblems(), ::testing::IsEmpty());
  }

  static std::vector<float> Numbers(int count) {
    std::vector<float> numbers(count);
    for (int i = 0; i < count; ++i) numbers[i] = static_cast<float>(i);
    return numbers;
  }

  // Looks at the device again, with the settings of the moment.
  void NewRegistry(const MetalBackendOptions& options = {.emulated = true}) {
    const std::span<const CpuKernel> tables[] = {ScalarKernels()};
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(std::make_unique<CpuBackend>(tables));
    backends.push_back(MakeMetalBackend(options));
    registry_ = std::make_unique<KernelRegistry>(std::move(backends));
  }

  // tokens -> embed -> scale -> select_rows -> linear, all of it on metal if that is possible.
  Program Compile() {
    CompileOptions options;
    options.policy.name = "gpu";
    options.policy.rules = {test::RuleFor("all", {Target::kMetal, Target::kScalar})};
    options.symbols[Symbol::kT] = {1, 6};
    options.symbols[Symbol::kR] = {1, 2};
    options.symbols[Symbol::kS] = {1, 16};
    Graph graph = test::GraphOf(R"(
        graph @tiny stage(imported) (%tokens: i32[T], %batch: batch) {
          %table = weight() {name = "table"} : f32[8,4]
          %output = weight() {name = "output"} : f32[3,4]
          %x = embed(%table, %tokens) : f32[T,4]
          %double = scale(%x) {factor = 2.0} : f32[T,4]
          %rows = select_rows(%double, %batch) : f32[R,4]
          %logits = linear(%rows, %output) : f32[R,3]
          return %logits, %double
        })");
    auto program = CompileProgram(std::move(graph), weights_, *registry_, options);
    EXPECT_TRUE(program.ok()) << program.status();
    return *std::move(program);
  }

  absl::Status Load(Program program) {
    auto created = test::LoadedProgram::Create(std::move(program), weights_, *registry_);
    if (!created.ok()) return created.status();
    loaded_ = *std::move(created);
    executor_ = &loaded_->executor();
    return absl::OkStatus();
  }

  absl::Status Run(const RunContext& context = {}) {
    const std::vector<int32_t> ids = {3, 0}, out_rows = {1};
    const std::vector<int32_t> zeros = {0, 0}, positions = {0, 1};
    const BatchSequence sequence = {.first_token = 0, .count = 2, .length = 2, .block_table = {}};
    const Batch batch = {.token_seq = zeros,
                         .token_pos = positions,
                         .token_slot = positions,
                         .out_rows = out_rows,
                         .sequences = {&sequence, 1},
                         .block_positions = 16};
    const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(std::span(ids)), {}};
    return executor_->Run({2, 1, 2}, inputs, batch, context);
  }

  std::vector<float> Result(int i) const {
    const TensorView& view = executor_->result(i);
    return {view.f32(), view.f32() + view.elements()};
  }

  test::VectorWeights weights_;
  std::unique_ptr<KernelRegistry> registry_;
  std::unique_ptr<test::LoadedProgram> loaded_;
  Executor* executor_ = nullptr;
  size_t live_before_ = 0;
  const uint64_t never_requested_before_ = emulation::counters().sets_never_requested;
};

// Says what each step computed.
class StepNames : public StepObserver {
 public:
  void AfterStep(const Node& node, const KernelArgs& args) override {
    StrAppend(&text, node.op().name, " ", args.out().f32()[0], "; ");
  }
  std::string text;
};

}  // namespace infer::metal
