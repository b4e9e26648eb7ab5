// SPDX-License-Identifier: Apache-2.0
//
// Whole models on the stand-in for the driver: the numbers of the CPU, recorded graphs, and every
// failure of the driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "backends/cuda/cuda_device.h"
#include "ir/base/strings.h"
#include "runtime/program_devices.h"
#include "tests/backends/cuda/registry.h"
#include "tests/cuda_emulation/stand_in_driver.h"
#include "tests/model/loaded_model.h"

namespace infer::cuda {
namespace {

using cuda_emulation::SetSettings;
using test::ContinueGreedily;
using test::LoadedModel;
using test::LogitsOf;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CompileModelOptions Options(std::vector<std::string> place = {}) {
  return {.policy = place.empty() ? "cuda" : "simd",
          .place = std::move(place),
          .context = 64,
          .chunk = 32};
}

std::vector<int32_t> PromptIds(int tokens) {
  std::vector<int32_t> ids;
  for (int i = 0; i < tokens; ++i) ids.push_back((17 + 31 * i + i * i) % 250);
  return ids;
}

double Distance(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, scale = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(a[i] - b[i], 2);
    scale += std::pow(b[i], 2);
  }
  return std::sqrt(difference / scale);
}

std::set<Target> TargetsOf(const Program& program) {
  std::set<Target> targets;
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (node->placement() && node->placement()->kernel != kViewKernel) {
        targets.insert(node->placement()->target);
      }
    }
  }
  return targets;
}

class CudaModel : public ::testing::Test {
 protected:
  void SetUp() override { SetSettings({}); }
  void TearDown() override {
    EXPECT_THAT(cuda_emulation::TakeFaults(), IsEmpty());
    EXPECT_EQ(cuda_emulation::AllocatedBytes(), bytes_before_) << "everything is given back";
    EXPECT_EQ(cuda_emulation::LiveObjects(), objects_before_);
  }

  // Tests of single kernels share a back end, which keeps its modules.
  const uint64_t bytes_before_ = cuda_emulation::AllocatedBytes();
  const int64_t objects_before_ = cuda_emulation::LiveObjects();
};

// int8 and f16 activations on both sides, in other groups: a few parts in a hundred.
constexpr double kRounding = 0.05;

TEST_F(CudaModel, TheWholeBundledModelRunsOnTheCard) {
  const LoadedModel model("", RegistryWithCuda());
  auto expected = model.NewSession({.policy = "reference", .context = 64, .chunk = 32});
  auto session = model.NewSession(Options());
  EXPECT_THAT(TargetsOf(session->program()), ::testing::ElementsAre(Target::kCuda));
  const std::vector<int32_t> prompt = PromptIds(21);
  const std::vector<int32_t> ids = ContinueGreedily(*expected, prompt, 6);
  const int64_t replays = cuda_emulation::GraphReplays();
  EXPECT_EQ(ContinueGreedily(*session, prompt, 6), ids);
  EXPECT_GT(cuda_emulation::GraphReplays(), replays);
  EXPECT_LT(Distance(LogitsOf(*session), LogitsOf(*expected)), kRounding);
}

// The layers of the nodes that have a kernel on the card.
std::set<std::string> LayersOnTheCard(const Program& program) {
  std::set<std::string> layers;
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement() || node->placement()->target != Target::kCuda) continue;
      if (node->placement()->kernel == kViewKernel || !node->scope().starts_with("layer."))
        continue;
      layers.insert(std::string(node->scope().substr(0, node->scope().find('/'))));
    }
  }
  return layers;
}

TEST_F(CudaModel, HalfTheLayersRunOnTheCard) {
  const LoadedModel model("", RegistryWithCuda());
  auto expected = model.NewSession({.policy = "reference", .context = 64, .chunk = 32});
  const std::vector<int32_t> prompt = PromptIds(9);
  const std::vector<int32_t> ids = ContinueGreedily(*expected, prompt, 4);
  CompileModelOptions by_number = {.policy = "simd", .context = 64, .chunk = 32};
  by_number.gpu_layers = 3;
  const std::vector<std::string> first = {"layer.0", "layer.1", "layer.2"};
  const std::vector<std::string> last = {"layer.3", "layer.4", "layer.5"};
  const struct {
    const char* name;
    CompileModelOptions options;
    std::vector<std::string> layers;
  } cases[] = {{"last layers", Options({"layer>=3=cuda"}), last},
               {"first layers", Options({"layer<3=cuda"}), first},
               {"-ngl 3", by_number, last}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    auto session = model.NewSession(c.options);
    EXPECT_THAT(LayersOnTheCard(session->program()), ::testing::ElementsAreArray(c.layers));
    EXPECT_THAT(TargetsOf(session->program()), ::testing::Contains(Target::kSimd));
    EXPECT_EQ(ContinueGreedily(*session, prompt, 4), ids);
    EXPECT_LT(Distance(LogitsOf(*session), LogitsOf(*expected)), kRounding);
  }
}

TEST_F(CudaModel, AnOlderDriverGivesTheSameBits) {
  std::vector<float> logits[2];
  for (bool newer : {true, false}) {
    SetSettings({.has_newer_functions = newer});
    const LoadedModel model("", RegistryWithCuda());
    auto session = model.NewSession(Options());
    ContinueGreedily(*session, PromptIds(2), 3);
    logits[newer] = LogitsOf(*session);
  }
  SetSettings({});
  EXPECT_EQ(logits[0], logits[1]);
}

TEST_F(CudaModel, PagedCachesAndOrdersGiveTheSameBits) {
  const LoadedModel model("", RegistryWithCuda());
  auto session = model.NewSession(Options());
  ContinueGreedily(*session, PromptIds(17), 2);
  SetSettings({.order = emulation::Order::kShuffled});
  auto paged = model.NewSession(Options(), {.block_positions = 4});
  ContinueGreedily(*paged, PromptIds(17), 2);
  EXPECT_EQ(LogitsOf(*paged), LogitsOf(*session));
}

absl::Status TryToRun(const LoadedModel& model) {
  absl::StatusOr<std::unique_ptr<Session>> session = Session::CreateAlone(
      model.Compile(Options()), model.weights(), model.registry(), {.context = 64});
  if (!session.ok()) return session.status();
  return (*session)->Prefill(PromptIds(3));
}

TEST_F(CudaModel, EveryAllocationMayFail) {
  const LoadedModel model("", RegistryWithCuda());
  const int64_t before = cuda_emulation::Allocations();
  ASSERT_TRUE(TryToRun(model).ok());
  const int64_t count = cuda_emulation::Allocations() - before;
  EXPECT_GT(count, 3);
  for (int64_t i = 0; i < count; ++i) {
    SetSettings({.failing_allocation = i});
    const absl::Status status = TryToRun(model);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << i << " " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("place fewer layers on cuda"));
  }
}

TEST_F(CudaModel, ALaunchThatFailsNamesItsNode) {
  const LoadedModel model("", RegistryWithCuda());
  SetSettings({.failing_launch = 7});
  const absl::Status status = TryToRun(model);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("launching"), HasSubstr("for node"), HasSubstr("LAUNCH_FAILED")));
}

TEST_F(CudaModel, ALostCardEndsTheRun) {
  const LoadedModel model("", RegistryWithCuda());
  auto session = model.NewSession(Options());
  ASSERT_TRUE(session->Prefill(PromptIds(3)).ok());
  SetSettings({.lost_after_launches = 3});
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = session->Decode(1);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("cuda: "));
  }
  SetSettings({});
}

TEST_F(CudaModel, AModuleThatTheDriverRefusesMakesItsKernelsUnavailable) {
  const LoadedModel model("", RegistryWithCuda());
  const Program program = model.Compile(Options());
  SetSettings({.refused_module = "embed"});
  const absl::Status status = LoadDevices(program, model.registry());
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("embed_q8_0_cuda"), HasSubstr("ptxas fatal")));
  // Compiled again, the rest stays on the card.
  auto session = model.NewSession(Options());
  EXPECT_THAT(TargetsOf(session->program()), ::testing::Contains(Target::kCuda));
  EXPECT_TRUE(session->Prefill(PromptIds(3)).ok());
}

TEST(CudaDevice, SaysWhyACardCannotBeUsed) {
  SetSettings({.count = 0});
  EXPECT_THAT(std::string(CudaDevice::Open(cuda_emulation::StandInDriver()).status().message()),
              HasSubstr("no NVIDIA card"));
  SetSettings({.major = 7, .minor = 5});
  EXPECT_THAT(std::string(CudaDevice::Open(cuda_emulation::StandInDriver()).status().message()),
              AllOf(HasSubstr("7.5"), HasSubstr("8.0 or later")));
  SetSettings({});
}

TEST_F(CudaModel, AModelThatDoesNotFitStaysOnTheCpu) {
  SetSettings({.total_bytes = (512 << 20) + 1000});
  const LoadedModel model("", RegistryWithCuda());
  const Program program = model.Compile(Options());
  EXPECT_THAT(TargetsOf(program), ::testing::Not(::testing::Contains(Target::kCuda)));
  SetSettings({});
}

TEST_F(CudaModel, LayersThatFitRunOnTheCardThoughTheModelDoesNot) {
  SetSettings({.total_bytes = (512 << 20) + (4 << 20)});
  const LoadedModel model("", RegistryWithCuda());
  CompileModelOptions options = {.policy = "simd", .context = 64, .chunk = 32};
  std::vector<std::string> warnings;
  options.warn = [&](const std::string& text) { warnings.push_back(text); };
  options.gpu_layers = 2;
  EXPECT_THAT(TargetsOf(model.Compile(options)), ::testing::Contains(Target::kCuda));
  EXPECT_THAT(warnings, IsEmpty()) << "the card is the GPU; Metal is not missed";
  options.gpu_layers = 6;
  EXPECT_THAT(TargetsOf(model.Compile(options)),
              ::testing::Not(::testing::Contains(Target::kCuda)));
  ASSERT_FALSE(warnings.empty());
  EXPECT_THAT(warnings[0], HasSubstr("GiB"));
  SetSettings({});
}

}  // namespace
}  // namespace infer::cuda
