// SPDX-License-Identifier: Apache-2.0
#include "tools/api/compile_to_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/metal/metal_backend.h"
#include "backends/scalar/kernels.h"
#include "runtime/program_devices.h"
#include "runtime/session.h"
#include "tests/metal_emulation/emulation.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using emulation::ScopedSettings;
using emulation::Settings;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// A machine with a GPU, as the tools see it.
std::unique_ptr<KernelRegistry> MachineWithGpu() {
  const std::span<const CpuKernel> tables[] = {ScalarKernels()};
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<CpuBackend>(tables));
  backends.push_back(metal::MakeMetalBackend());
  return std::make_unique<KernelRegistry>(std::move(backends));
}

int NodesOnMetal(const Graph& graph) {
  int count = 0;
  for (const Node* node : graph.nodes()) {
    count += node->placement() && node->placement()->target == Target::kMetal;
  }
  return count;
}

struct Attempts {
  int compiled = 0;
  std::vector<std::string> warnings;
  std::set<std::string> kernels;  // of metal, in the Program that came out
};

Attempts CompileAndCount(const std::vector<std::string>& place = {}) {
  const ModelFile model = *ModelFile::Open(BundledModelPath());
  const auto registry = MachineWithGpu();
  Attempts attempts;
  CompileModelOptions options = {.policy = "auto", .place = place, .context = 64};
  options.on_imported = [&](const Graph&) { ++attempts.compiled; };
  options.warn = [&](const std::string& text) { attempts.warnings.push_back(text); };
  auto program = CompileToRun(model, *registry, options);
  EXPECT_TRUE(program.ok()) << program.status();
  if (!program.ok()) return attempts;
  for (const Node* node : program->regimes.back().graph.nodes()) {
    const auto& placement = node->placement();
    if (placement && placement->target == Target::kMetal)
      attempts.kernels.insert(placement->kernel);
  }
  return attempts;
}

TEST(CompileToRun, PolicyAutoTakesAGpuFromTheRowsOfItsClass) {
  const ModelFile model = *ModelFile::Open(BundledModelPath());
  const auto registry = MachineWithGpu();
  auto program = CompileToRun(model, *registry, {.policy = "auto", .context = 64});
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ(program->regimes.size(), 2u);
  EXPECT_EQ(program->regimes[1].min_tokens, 8);
  EXPECT_EQ(NodesOnMetal(program->regimes[0].graph), 0);
  EXPECT_GT(NodesOnMetal(program->regimes[1].graph), 40);
  EXPECT_EQ(program->policy.rules[0].name, "gpu");
}

TEST(CompileToRun, WhatTheUserPlacesComesBeforeTheGpuOfPolicyAuto) {
  const ModelFile model = *ModelFile::Open(BundledModelPath());
  const auto registry = MachineWithGpu();
  auto program = CompileToRun(
      model, *registry,
      {.policy = "auto", .place = {"op=swiglu=scalar"}, .gpu_layers = 1, .context = 64});
  ASSERT_TRUE(program.ok()) << program.status();
  // Whole or in parts: the rule decides about both.
  int placed = 0;
  for (const Node* node : program->regimes.back().graph.nodes()) {
    if (!node->placement() || node->placement()->rule != "place op=swiglu=scalar") continue;
    ++placed;
    EXPECT_EQ(node->placement()->target, Target::kScalar);
  }
  EXPECT_GT(placed, 0);
  // The last layer is on the GPU even for one token.
  EXPECT_GT(NodesOnMetal(program->regimes[0].graph), 0);
}

// Weights and cache alone fit; with the activations they do not.
TEST(CompileToRun, PolicyAutoStaysOnTheCpuIfActivationsNoLongerFit) {
  const ModelFile model = *ModelFile::Open(BundledModelPath());
  CompileModelOptions options = {.policy = "auto", .context = 64};
  uint64_t bytes = 0;
  {
    auto program = CompileToRun(model, *MachineWithGpu(), options);
    ASSERT_TRUE(program.ok()) << program.status();
    bytes = DeviceBytes(*program, Device::kCpu, *PredictCacheBytes(*program, {.context = 64}));
  }
  Settings small;
  small.recommended_max_working_set_size = bytes - 1;
  ScopedSettings scope(small);
  const auto registry = MachineWithGpu();
  std::vector<std::string> warnings;
  options.warn = [&](const std::string& text) { warnings.push_back(text); };
  auto program = CompileToRun(model, *registry, options);
  ASSERT_TRUE(program.ok()) << program.status();
  for (const Regime& regime : program->regimes) EXPECT_EQ(NodesOnMetal(regime.graph), 0);
  EXPECT_THAT(warnings, ElementsAre(AllOf(
                            HasSubstr("policy auto, rule gpu: metal is unavailable: 0.01 GiB of"),
                            HasSubstr("runs on the cpu instead"))));
  auto session =
      Session::CreateAlone(*std::move(program), model.weights(), *registry, {.context = 64});
  EXPECT_TRUE(session.ok()) << session.status();
}

TEST(CompileToRun, ReportsThePolicyOnceHoweverOftenItCompiles) {
  Settings failing;
  failing.pipeline_failures["swiglu_f32"] = "first";
  failing.pipeline_failures["embed_q8_0"] = "second";
  ScopedSettings scope(failing);
  EXPECT_THAT(
      CompileAndCount({"layer=99=scalar"}).warnings,
      ElementsAre(HasSubstr("kernel embed_q8_0_metal"), HasSubstr("kernel swiglu_f32_metal"),
                  HasSubstr("place layer=99=scalar: matches no node")));
}

TEST(CompileToRun, CompilesOnceMoreWithoutAKernelWhoseGroupsAreTooLarge) {
  Settings small;
  small.max_threads["embed_q8_0"] = 32;
  ScopedSettings scope(small);
  const Attempts attempts = CompileAndCount();
  EXPECT_EQ(attempts.compiled, 2);
  EXPECT_THAT(attempts.warnings,
              ElementsAre("kernel embed_q8_0_metal does not work here and is left out: embed_q8_0 "
                          "needs groups of 64 threads, the device runs it with up to 32"));
  EXPECT_EQ(attempts.kernels.count("embed_q8_0_metal"), 0u);
  EXPECT_EQ(attempts.kernels.count("multi_linear_metal"), 1u);
}

TEST(CompileToRun, LeavesOutEveryKernelOfAShaderFileThatFails) {
  Settings failing;
  failing.library_failures["linear_q8_0"] = "program_source:3:1: error: no\nnote: here";
  ScopedSettings scope(failing);
  const Attempts attempts = CompileAndCount();
  EXPECT_EQ(attempts.compiled, 2);
  constexpr char kWhy[] =
      "left out: linear_q8_0.metal does not compile: program_source:3:1: error: no";
  EXPECT_THAT(attempts.warnings,
              UnorderedElementsAre(AllOf(HasSubstr("kernel multi_linear_metal"), EndsWith(kWhy)),
                                   AllOf(HasSubstr("kernel linear_q8_0_metal"), EndsWith(kWhy))));
  EXPECT_THAT(attempts.kernels, Not(Contains(HasSubstr("linear"))));
  EXPECT_EQ(attempts.kernels.count("embed_q8_0_metal"), 1u);
}

TEST(CompileToRun, CompilesAgainWithoutEachKernelThatFails) {
  Settings failing;
  failing.pipeline_failures["swiglu_f32"] = "first";
  failing.pipeline_failures["embed_q8_0"] = "second";
  ScopedSettings scope(failing);
  const ModelFile model = *ModelFile::Open(BundledModelPath());
  const auto registry = MachineWithGpu();
  std::vector<std::string> warnings;
  CompileModelOptions options = {.policy = "auto", .context = 64};
  options.warn = [&](const std::string& text) { warnings.push_back(text); };
  auto program = CompileToRun(model, *registry, options);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("kernel embed_q8_0_metal"),
                                    HasSubstr("kernel swiglu_f32_metal")));
  EXPECT_GT(NodesOnMetal(program->regimes[1].graph), 30);
  warnings.clear();
  EXPECT_TRUE(CompileToRun(model, *registry, options).ok());
  EXPECT_TRUE(warnings.empty());  // said once
}

}  // namespace
}  // namespace infer
