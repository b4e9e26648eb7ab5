// SPDX-License-Identifier: Apache-2.0
//
// Whole models on a device with a memory and a queue of its own: all nodes or some, the numbers are
// those of `reference`, and every copy and every wait is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/verify/verifier.h"
#include "runtime/profiler.h"
#include "runtime/program_devices.h"
#include "runtime/step_recorder.h"
#include "runtime/trace/chrome_json.h"
#include "tests/model/loaded_model.h"
#include "tests/support/test_device.h"
#include "tools/profile/profile_estimates.h"
#include "tools/trace/call_tracer.h"

namespace infer {
namespace {

using test::ContinueGreedily;
using test::LoadedModel;
using test::LogitsOf;
using test::RegistryWithTestDevice;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr int64_t kContext = 64;
constexpr int64_t kChunk = 8;

struct SpacesCase {
  std::string name;
  std::string file;
  std::vector<std::string> place;
};

// Every layer of the small models has both; the numbers of layers differ.
std::vector<SpacesCase> Cases() {
  return {{"All", "random_untied.gguf", {"test"}},
          {"Attention", "random_untied.gguf", {"scope=*attn*=test"}},
          {"SecondLayer", "random_untied.gguf", {"layer=1=test"}},
          {"EverySecondOp",
           "random_untied.gguf",
           {"op=linear=test", "op=silu=test", "op=softmax=test", "op=add=test"}},
          {"PromptsOnly", "random_untied.gguf", {"op=linear,tokens>=4=test"}},
          {"WideHeads", "random_wide_heads.gguf", {"layer<1=test"}},
          {"BundledHalf", "", {"layer>=2=test"}},
          {"BundledAll", "", {"test"}}};
}

std::vector<int32_t> PromptIds(int tokens) {
  std::vector<int32_t> ids;
  for (int i = 0; i < tokens; ++i) ids.push_back((17 + 31 * i + i * i) % 250);
  return ids;
}

CompileModelOptions SpaceOptions(const std::vector<std::string>& place) {
  return {.policy = "reference", .place = place, .context = kContext, .chunk = kChunk};
}

int64_t NumCopies(const Program& program) {
  int64_t copies = 0;
  for (const Regime& regime : program.regimes) {
    for (const Segment& segment : regime.graph.plan()->segments) {
      for (const Step& step : segment.steps) copies += step.copy.has_value();
    }
  }
  return copies;
}

class MemorySpacesTest : public ::testing::TestWithParam<SpacesCase> {};

TEST_P(MemorySpacesTest, GivesTheNumbersOfReference) {
  const std::vector<int32_t> prompt = PromptIds(13);
  const LoadedModel plain(GetParam().file);
  auto expected = plain.NewSession(SpaceOptions({}));
  const std::vector<int32_t> ids = ContinueGreedily(*expected, prompt, 6);
  ASSERT_EQ(ids.size(), 6u);
  for (TestPace pace : {TestPace::kEager, TestPace::kLazy}) {
    const TestBackend* device = nullptr;
    const LoadedModel model(GetParam().file, RegistryWithTestDevice(pace, &device));
    {
      auto session = model.NewSession(SpaceOptions(GetParam().place));
      EXPECT_GT(NumCopies(session->program()), 0);
      EXPECT_GT(device->bytes(), 0u);
      EXPECT_EQ(ContinueGreedily(*session, prompt, 6), ids);
      EXPECT_EQ(LogitsOf(*session), LogitsOf(*expected));
    }
    EXPECT_EQ(device->bytes(), 0u) << "everything is given back";
  }
}

TEST_P(MemorySpacesTest, PagedCachesAreTheSame) {
  const LoadedModel model(GetParam().file, RegistryWithTestDevice(TestPace::kLazy));
  auto session = model.NewSession(SpaceOptions(GetParam().place));
  auto paged = model.NewSession(SpaceOptions(GetParam().place), {.block_positions = 4});
  EXPECT_EQ(ContinueGreedily(*paged, PromptIds(9), 4), ContinueGreedily(*session, PromptIds(9), 4));
  EXPECT_EQ(LogitsOf(*paged), LogitsOf(*session));
}

TEST_P(MemorySpacesTest, EveryCopyAndEveryWaitIsNeeded) {
  const LoadedModel model(GetParam().file, RegistryWithTestDevice());
  const Program program = model.Compile(SpaceOptions(GetParam().place));
  int64_t cleared = 0;
  for (const Regime& regime : program.regimes) {
    // The schedule alone: slots without their steps would be refused in any case.
    Plan plan = *regime.graph.plan();
    plan.slots.clear();
    plan.arenas.clear();
    Graph graph = regime.graph.Clone();
    graph.set_stage(Stage::kScheduled);
    graph.set_plan(plan);
    ASSERT_EQ(Verify(graph), absl::OkStatus());
    auto is_refused = [&](const Plan& changed) {
      graph.set_plan(changed);
      ++cleared;
      return !Verify(graph).ok();
    };
    for (size_t i = 0; i < plan.segments.size(); ++i) {
      const Segment& segment = plan.segments[i];
      for (size_t step = 0; step < segment.steps.size(); ++step) {
        if (!segment.steps[step].copy) continue;
        Plan changed = plan;
        changed.segments[i].steps.erase(changed.segments[i].steps.begin() +
                                        static_cast<int64_t>(step));
        EXPECT_TRUE(is_refused(changed)) << "copy " << step << " of segment " << i;
      }
      for (size_t wait = 0; wait < segment.waits.size(); ++wait) {
        Plan changed = plan;
        changed.segments[i].waits.erase(changed.segments[i].waits.begin() +
                                        static_cast<int64_t>(wait));
        EXPECT_TRUE(is_refused(changed)) << "wait of segment " << i;
      }
    }
    if (plan.waits.empty()) continue;
    Plan changed = plan;
    changed.waits.clear();
    EXPECT_TRUE(is_refused(changed)) << "wait at the end";
  }
  EXPECT_GT(cleared, 2);
}

// What a device holds is what lies there.
TEST_P(MemorySpacesTest, TakesTheMemoryThatIsPredicted) {
  const TestBackend* device = nullptr;
  const LoadedModel model(GetParam().file, RegistryWithTestDevice(TestPace::kEager, &device));
  auto session = model.NewSession(SpaceOptions(GetParam().place));
  const Program& program = session->program();
  const uint64_t cache = PredictCacheBytes(program, {.context = kContext}).value();
  const uint64_t predicted = DeviceBytes(program, Device::kTest, cache);
  EXPECT_GE(device->bytes(), predicted);
  // Weights are aligned, and scratch memory comes on top.
  EXPECT_LE(device->bytes(), predicted + program.weights.size() * 64 + (64 << 10));
}

// Calls that are stopped leave nothing under way in memory that the next call uses.
TEST_P(MemorySpacesTest, AStoppedCallChangesNothing) {
  const LoadedModel model(GetParam().file, RegistryWithTestDevice(TestPace::kLazy));
  auto session = model.NewSession(SpaceOptions(GetParam().place));
  const std::vector<int32_t> prompt = PromptIds(5);
  const std::vector<int32_t> expected = ContinueGreedily(*session, prompt, 3);
  session->Clear();
  const std::atomic<bool> stop = true;
  EXPECT_EQ(session->Prefill(prompt, &stop).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(ContinueGreedily(*session, prompt, 3), expected);
}

INSTANTIATE_TEST_SUITE_P(Placements, MemorySpacesTest, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

// A device whose segments fail after they were handed over, while `fails`.
class FailingBackend : public TestBackend {
 public:
  FailingBackend() : TestBackend(TestPace::kLazy) {}
  absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(std::vector<PreparedStep> steps,
                                                           uint64_t stride) const override {
    auto segment = std::make_unique<Failing>();
    segment->fails = &fails;
    segment->inner = TestBackend::Prepare(std::move(steps), stride).value();
    return segment;
  }

  mutable bool fails = false;

 private:
  struct Failing : CompiledSegment {
    absl::Status Run(const RunContext& context, const SegmentCall& call) const override {
      const absl::Status status = inner->Run(context, call);
      return *fails ? absl::DataLossError("broken") : status;
    }
    const bool* fails = nullptr;
    std::unique_ptr<CompiledSegment> inner;
  };
};

TEST(MemorySpaces, AFailedCallLeavesNothingUnderWay) {
  auto made = std::make_unique<FailingBackend>();
  const FailingBackend* device = made.get();
  std::vector<std::unique_ptr<Backend>> more;
  more.push_back(std::move(made));
  const LoadedModel model("random_untied.gguf", MakeKernelRegistry(std::move(more)));
  auto session = model.NewSession(SpaceOptions({"layer=1=test"}));
  const std::vector<int32_t> prompt = PromptIds(5);
  const std::vector<int32_t> expected = ContinueGreedily(*session, prompt, 3);
  session->Clear();
  device->fails = true;
  EXPECT_EQ(session->Prefill(prompt).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(device->pending(), 0);
  device->fails = false;
  EXPECT_EQ(ContinueGreedily(*session, prompt, 3), expected);
}

// Engines of one model may have different registries, and a registry may die before the model.
TEST(MemorySpaces, WeightsAreUploadedForEachRegistryAndOutliveIt) {
  const LoadedModel model("random_untied.gguf");
  auto weights = std::make_unique<PackedWeights>(model.weights());
  for (int i = 0; i < 2; ++i) {
    const TestBackend* device = nullptr;
    const auto registry = RegistryWithTestDevice(TestPace::kEager, &device);
    auto program = CompileModel(model.file(), *registry, SpaceOptions({"test"}));
    ASSERT_TRUE(program.ok()) << program.status();
    std::shared_ptr<const Executable> executable =
        Executable::Create(std::make_shared<const Program>(*std::move(program)), *weights,
                           *registry)
            .value();
    const uint64_t uploaded = device->bytes();
    EXPECT_GT(uploaded, 100'000u);
    std::shared_ptr<Engine> engine = Engine::Create(executable, {.context = kContext}).value();
    auto session = Session::Create(engine).value();
    EXPECT_EQ(ContinueGreedily(*session, PromptIds(5), 3).size(), 3u);
  }
  weights.reset();  // after both registries
}

// A value between the memories costs 3 us and 10 bytes a ns.
std::string MachineFile() {
  const std::string path = ::testing::TempDir() + "/memory_spaces_machine.textproto";
  std::ofstream(path) << R"(
      name: "with a test device" threads: 1 cache_bytes: 1048576
      target { target: SCALAR step_ns: 50 }
      target { target: TEST step_ns: 100 wake_ns: 5000 boundary_ns: 3000 copy_gb_s: 10 }
      kernel { target: SCALAR gb_s: 1 cached_gb_s: 1 rate { rows: 1 gop_s: 1 } }
      kernel { target: TEST gb_s: 1 cached_gb_s: 1 rate { rows: 1 gop_s: 1 } })";
  return path;
}

TEST(MemorySpaces, CopiesAreTimedEstimatedAndTraced) {
  const LoadedModel model("random_untied.gguf", RegistryWithTestDevice());
  CompileModelOptions options = SpaceOptions({"layer=1=test"});
  options.machine = MachineFile();
  auto session = model.NewSession(options);
  const Program& program = session->program();
  StepRecorder recorder(program, 1);
  Profiler profiler(program, 1);
  std::string trace;
  const int threads[] = {1};
  CallTracer tracer(program, threads, {}, MakeChromeJsonEncoder(), [&](std::string_view bytes) {
    trace += bytes;
    return absl::OkStatus();
  });
  recorder.Add(&profiler);
  recorder.Add(&tracer);
  session->SetRecorder(&recorder);
  ASSERT_TRUE(session->Prefill(PromptIds(3)).ok());
  Profile profile = profiler.Finish();
  ASSERT_EQ(EstimateProfile(program, &profile), absl::OkStatus());
  int64_t copies = 0;
  for (const ProfileRegime& regime : profile.regimes) {
    for (const CallGroup& group : regime.groups) {
      for (size_t i = 0; i < regime.nodes.size(); ++i) {
        if (regime.nodes[i].op != "copy") continue;
        ++copies;
        EXPECT_THAT(regime.nodes[i].kernel, AnyOf("cpu to test", "test to cpu"));
        EXPECT_GT(group.timings[i].n, 0);
        EXPECT_GE(group.timings[i].estimate_ns, 3000);
      }
    }
  }
  EXPECT_GT(copies, 1);
  EXPECT_EQ(CheckProfileOf(program, profile, "profile"), absl::OkStatus());
  ASSERT_TRUE(tracer.Finish().ok());
  EXPECT_THAT(trace, HasSubstr("queue of test"));
  EXPECT_THAT(trace, HasSubstr("\"direction\":\"test to cpu\""));
}

// Any op anywhere.
TEST(MemorySpaces, RandomPlacementsGiveTheNumbersOfReference) {
  const LoadedModel model("random_untied.gguf", RegistryWithTestDevice(TestPace::kLazy));
  const std::vector<int32_t> prompt = PromptIds(11);
  auto expected = model.NewSession(SpaceOptions({}));
  const std::vector<int32_t> ids = ContinueGreedily(*expected, prompt, 3);
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::string> place;
    for (const Node* node : expected->program().regimes[0].graph.nodes()) {
      if (!node->placement() || random() % 2 == 0) continue;
      const std::string rule = StrCat("op=", node->op().name, ",layer=", random() % 3,
                                      ",tokens>=", 1 + random() % 3, "=test");
      if (std::ranges::find(place, rule) == place.end()) place.push_back(rule);
    }
    auto session = model.NewSession(SpaceOptions(place));
    EXPECT_GT(NumCopies(session->program()), 0);
    EXPECT_EQ(ContinueGreedily(*session, prompt, 3), ids) << "seed " << seed;
    EXPECT_EQ(LogitsOf(*session), LogitsOf(*expected)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace infer
