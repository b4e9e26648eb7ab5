// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/check_invariance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/scalar/kernels.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using test::LoadedModel;

const std::vector<int32_t> kPrompt = {993, 1312, 258, 300, 307, 314, 321, 328, 335, 342};
const CpuKernel* silu = nullptr;

// Adds something where a call has several tokens.
void SiluThatCounts(const KernelArgs& args, int64_t begin, int64_t end) {
  silu->run(args, begin, end);
  if (args.out().rows() == 1) return;
  for (int64_t row = begin; row < end; ++row) {
    args.out().mutable_f32()[row * args.out().columns()] += 0.01f;
  }
}

absl::StatusOr<InvarianceResult> Check(const LoadedModel& model) {
  CompileModelOptions options = {.policy = "scalar", .context = 64, .chunk = 16, .sequences = 4};
  options.logit_rows = 4;
  auto executable =
      Executable::CreateAlone(model.Compile(options), model.weights(), model.registry());
  if (!executable.ok()) return executable.status();
  return CheckInvariance(*executable, kPrompt, {.rounds = 6, .context = 64});
}

TEST(CheckInvariance, ScalarKernelsPass) {
  const absl::StatusOr<InvarianceResult> result = Check(LoadedModel(""));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->first) << result->first->schedule << ": " << result->first->node;
  EXPECT_GT(result->calls, 6);
}

TEST(CheckInvariance, NamesTheFirstNodeThatDependsOnTheCall) {
  std::vector<CpuKernel> kernels(ScalarKernels().begin(), ScalarKernels().end());
  for (CpuKernel& kernel : kernels) {
    if (kernel.info.name != "silu_f32_scalar") continue;
    for (const CpuKernel& original : ScalarKernels()) {
      if (original.info.name == kernel.info.name) silu = &original;
    }
    kernel.run = SiluThatCounts;
  }
  const std::span<const CpuKernel> tables[] = {kernels};
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<CpuBackend>(tables));
  const LoadedModel model("", std::make_unique<KernelRegistry>(std::move(backends)));
  const absl::StatusOr<InvarianceResult> result = Check(model);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_TRUE(result->first);
  EXPECT_THAT(result->first->node, ::testing::HasSubstr("/ffn/silu"));
  EXPECT_EQ(result->first->kernel, "silu_f32_scalar");
  EXPECT_NE(result->first->schedule, "");
}

}  // namespace
}  // namespace infer
