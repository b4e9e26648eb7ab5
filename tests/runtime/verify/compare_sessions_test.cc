// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/compare_sessions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/cpu/cpu_backend.h"
#include "backends/scalar/kernels.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using test::LoadedModel;

const LoadedModel& TinyTales() {
  static const auto* model = new LoadedModel("");
  return *model;
}

// The with_silu of layer 3 is wrong in one element in the call after the prompt.
constexpr int kLayers = 6;
constexpr int kBrokenLayer = 3;
int silu_calls = 0;
const CpuKernel* with_silu = nullptr;
float fault = 0;

void FaultySilu(const KernelArgs& args, int64_t begin, int64_t end) {
  with_silu->run(args, begin, end);
  if (end != with_silu->units(args)) return;
  if (silu_calls++ == kLayers + kBrokenLayer) args.out().mutable_f32()[17] += fault;
}

std::vector<CpuKernel> FaultyKernels() {
  std::vector<CpuKernel> kernels(ScalarKernels().begin(), ScalarKernels().end());
  for (CpuKernel& kernel : kernels) {
    if (kernel.info.name != "silu_f32_scalar") continue;
    for (const CpuKernel& original : ScalarKernels()) {
      if (original.info.name == kernel.info.name) with_silu = &original;
    }
    kernel.run = FaultySilu;
  }
  return kernels;
}

class CompareSessionsTest : public ::testing::Test {
 protected:
  CompareSessionsTest() {
    const std::span<const CpuKernel> tables[] = {kernels_};
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(std::make_unique<CpuBackend>(tables));
    faulty_ = std::make_unique<KernelRegistry>(std::move(backends));
    silu_calls = 0;
    options_.decode_tokens = 2;
  }

  std::unique_ptr<Session> FaultySession(const CompileModelOptions& options) const {
    auto program = CompileModel(TinyTales().file(), *faulty_, options);
    EXPECT_TRUE(program.ok()) << program.status();
    SessionOptions session{.context = program->symbols[Symbol::kS].max};
    return Session::CreateAlone(*std::move(program), TinyTales().weights(), *faulty_, session)
        .value();
  }

  std::vector<CpuKernel> kernels_ = FaultyKernels();
  std::unique_ptr<KernelRegistry> faulty_;
  CompareOptions options_;
  const std::vector<int32_t> prompt_ = {300, 301, 302, 303, 304};
};

TEST_F(CompareSessionsTest, FindsTheNodeOfAFaultyKernel) {
  // Fused, with_silu would be a part of swiglu and its result have no origin.
  const CompileModelOptions compile{
      .policy = "reference", .context = 64, .chunk = 16, .skip = {"fuse-swiglu"}};
  auto tested = FaultySession(compile);
  auto expected = TinyTales().NewSession(compile);
  fault = 0.5f;
  auto found = CompareSessions({tested.get(), faulty_.get()},
                               {expected.get(), &TinyTales().registry()}, prompt_, options_);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_TRUE(found->first.has_value());
  EXPECT_EQ(found->first->origin, "layer.3/ffn/silu");
  EXPECT_EQ(found->first->node->placement()->kernel, "silu_f32_scalar");
  EXPECT_EQ(found->first->call, "decode of token 5");
  EXPECT_EQ(found->first->row, 0);
  EXPECT_EQ(found->first->column, 17);
  EXPECT_NEAR(found->first->found - found->first->expected, 0.5, 1e-5);
  EXPECT_EQ(found->calls, 3);
  // Everything before the fault is the same bit for bit.
  for (const auto& [key, op] : found->ops) {
    EXPECT_TRUE(op.beyond > 0 || op.worst.relative == 0) << key.first;
  }
}

TEST_F(CompareSessionsTest, AcceptsHealthyKernelsBitForBit) {
  const CompileModelOptions compile{.policy = "reference", .context = 64, .chunk = 4};
  auto tested = FaultySession(compile);
  auto expected = TinyTales().NewSession(compile);
  fault = 0;
  options_.tolerance = 0;
  auto found = CompareSessions({tested.get(), faulty_.get()},
                               {expected.get(), &TinyTales().registry()}, prompt_, options_);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_FALSE(found->first.has_value());
  EXPECT_EQ(found->calls, 4);  // two chunks, two tokens
  EXPECT_EQ(found->unmatched, 0);
  EXPECT_GT(found->compared, 4 * 6 * 10);
  EXPECT_EQ(tested->tokens().size(), 7u);
  EXPECT_TRUE(std::ranges::equal(tested->tokens(), expected->tokens()));
}

TEST_F(CompareSessionsTest, EndsWhereTheContextIsFull) {
  const CompileModelOptions compile{.policy = "reference", .context = 6, .chunk = 4};
  auto one = TinyTales().NewSession(compile);
  auto two = TinyTales().NewSession(compile);
  options_.decode_tokens = 100;
  auto found = CompareSessions({one.get(), &TinyTales().registry()},
                               {two.get(), &TinyTales().registry()}, prompt_, options_);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(one->tokens().size(), 6u);
}

TEST_F(CompareSessionsTest, AStopFlagEndsIt) {
  const CompileModelOptions compile{.policy = "reference", .context = 64, .chunk = 4};
  auto one = TinyTales().NewSession(compile);
  auto two = TinyTales().NewSession(compile);
  const std::atomic<bool> stop = true;
  options_.stop = &stop;
  auto found = CompareSessions({one.get(), &TinyTales().registry()},
                               {two.get(), &TinyTales().registry()}, prompt_, options_);
  EXPECT_EQ(found.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace infer
