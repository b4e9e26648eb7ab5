// SPDX-License-Identifier: Apache-2.0
//
// The back end on the software device, which can be told to fail.
#include "backends/metal/metal_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/metal/device_classes.h"
#include "backends/scalar/kernels.h"
#include "ir/strings.h"
#include "passes/compile.h"
#include "runtime/executor.h"
#include "runtime/step_recorder.h"
#include "tests/metal_emulation/emulation.h"
#include "tests/runtime/vector_weights.h"
#include "tests/support/graph_test.h"

namespace infer::metal {
namespace {

using emulation::ScopedSettings;
using emulation::Settings;
using infer::testing::GraphOf;
using infer::testing::RuleFor;
using infer::testing::VectorWeights;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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
    executor_.reset();
    executable_.reset();
    registry_.reset();
    EXPECT_EQ(emulation::LiveObjects(), live_before_);
    EXPECT_THAT(emulation::TakeProblems(), IsEmpty());
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
    options.policy.rules = {RuleFor("all", {Target::kMetal, Target::kScalar})};
    options.symbols[Symbol::kT] = {1, 6};
    options.symbols[Symbol::kR] = {1, 2};
    options.symbols[Symbol::kS] = {1, 16};
    Graph graph = GraphOf(R"(
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
    auto created = Executable::Create(std::move(program), weights_, *registry_, {});
    if (!created.ok()) return created.status();
    executable_ = *std::move(created);
    executor_ = std::make_unique<Executor>(executable_.get());
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

  VectorWeights weights_;
  std::unique_ptr<KernelRegistry> registry_;
  std::unique_ptr<Executable> executable_;
  std::unique_ptr<Executor> executor_;
  size_t live_before_ = 0;
};

TEST_F(MetalBackendTest, RunsASegmentInOneCommandBuffer) {
  Program program = Compile();
  ASSERT_EQ(program.regimes[0].graph.plan()->segments.size(), 1u);
  EXPECT_EQ(program.regimes[0].graph.plan()->segments[0].device, Device::kMetal);
  EXPECT_EQ(program.regimes[0].graph.plan()->segments[0].space(), Device::kCpu);
  ASSERT_EQ(Load(std::move(program)), absl::OkStatus());
  const emulation::Counters before = emulation::counters();
  ASSERT_EQ(Run(), absl::OkStatus());
  EXPECT_THAT(Result(0), ElementsAre(0, 2, 4));
  EXPECT_THAT(Result(1), ElementsAre(24, 26, 28, 30, 0, 2, 4, 6));
  EXPECT_EQ(emulation::counters().command_buffers - before.command_buffers, 1u);
  EXPECT_EQ(emulation::counters().dispatches - before.dispatches, 4u);
  EXPECT_EQ(emulation::counters().barriers - before.barriers, 3u);  // each reads the one before
  EXPECT_EQ(emulation::counters().pipelines, before.pipelines);     // all were made at load
}

// A command buffer for each dispatch that computes something.
TEST_F(MetalBackendTest, CutsLongSegmentsIntoCommandBuffers) {
  DeviceClass slow = FindDeviceClass("");
  slow.command_buffer_flops = 1;
  NewRegistry({.emulated = true, .device_class = slow});
  ASSERT_EQ(Load(Compile()), absl::OkStatus());
  const emulation::Counters before = emulation::counters();
  ASSERT_EQ(Run(), absl::OkStatus());
  EXPECT_THAT(Result(0), ElementsAre(0, 2, 4));
  const uint64_t buffers = emulation::counters().command_buffers - before.command_buffers;
  EXPECT_GE(buffers, 2u);
  EXPECT_EQ(emulation::counters().dispatches - before.dispatches, 4u);

  Settings failing;
  failing.failing_commit = static_cast<int>(buffers);
  ScopedSettings scope(failing);
  const absl::Status status = Run();
  EXPECT_THAT(status.ToString(), HasSubstr("node %logits (linear)"));
  EXPECT_THAT(status.ToString(), Not(HasSubstr("embed")));
}

class StepNames : public StepObserver {
 public:
  void AfterStep(const Node& node, const KernelArgs& args) override {
    StrAppend(&text, node.op().name, " ", args.out().f32()[0], "; ");
  }
  std::string text;
};

TEST_F(MetalBackendTest, ShowsAnObserverEachStepWithItsValues) {
  ASSERT_EQ(Load(Compile()), absl::OkStatus());
  StepNames names;
  ASSERT_EQ(Run({.observer = &names}), absl::OkStatus());
  EXPECT_EQ(names.text, "embed 12; scale 24; select_rows 0; linear 0; ");
}

TEST_F(MetalBackendTest, NotesTheTimeOfEachStep) {
  Program program = Compile();
  StepRecorder recorder(program, 1);
  ASSERT_EQ(Load(std::move(program)), absl::OkStatus());
  const int64_t begin = StepClockNs();
  ASSERT_EQ(Run({.recorder = &recorder}), absl::OkStatus());
  const int64_t end = StepClockNs();
  const StepEvents& noted = *recorder.Begin(0);
  int64_t last = begin;
  for (const StepEvent& event : noted.thread(0)) {
    EXPECT_GE(event.start_ns, last);
    EXPECT_GE(event.end_ns, event.start_ns);
    EXPECT_EQ(event.wait_end_ns, event.end_ns);
    last = event.end_ns;
  }
  EXPECT_LE(last, end);
  EXPECT_GT(last, begin);
}

TEST_F(MetalBackendTest, StopsBetweenCommandBuffers) {
  ASSERT_EQ(Load(Compile()), absl::OkStatus());
  const std::atomic<bool> stop = true;
  const emulation::Counters before = emulation::counters();
  EXPECT_EQ(Run({.stop = &stop}).code(), absl::StatusCode::kCancelled);
  StepNames names;
  EXPECT_EQ(Run({.observer = &names, .stop = &stop}).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(emulation::counters().command_buffers, before.command_buffers);
  EXPECT_EQ(Run(), absl::OkStatus());
}

TEST_F(MetalBackendTest, AFailedCommandBufferIsAStatusWithNodesAndKernels) {
  ASSERT_EQ(Load(Compile()), absl::OkStatus());
  {
    Settings failing;
    failing.failing_commit = 1;
    failing.failing_commit_text = "GPU hang";
    ScopedSettings scope(failing);
    const absl::Status status = Run();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(status.ToString(), HasSubstr("from node %x (embed), kernel embed_f32_metal to "
                                             "node %logits (linear), kernel linear_f32_metal"));
    EXPECT_THAT(status.ToString(), HasSubstr("GPU hang"));
  }
  {
    Settings failing;
    failing.failing_commit = 2;
    ScopedSettings scope(failing);
    StepNames names;
    const absl::Status status = Run({.observer = &names});
    EXPECT_EQ(names.text, "embed 12; ");
    EXPECT_THAT(status.ToString(), HasSubstr("metal: node %double (scale), kernel scale_f32_metal: "
                                             "injected failure"));
  }
  EXPECT_EQ(Run(), absl::OkStatus());
}

// One bad function takes its kernel away, before anything runs, and nothing else.
TEST_F(MetalBackendTest, AKernelThatDoesNotCompileIsLeftOutNextTime) {
  Program program = Compile();
  Settings failing;
  failing.pipeline_failures["embed_f32"] = "unknown type name 'flaot'\nsecond line";
  ScopedSettings scope(failing);
  NewRegistry();
  const absl::Status status = Load(std::move(program));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.ToString(), HasSubstr("kernel embed_f32_metal does not work here"));
  EXPECT_THAT(status.ToString(), HasSubstr("unknown type name 'flaot'"));
  ASSERT_EQ(registry_->Failures().size(), 1u);
  EXPECT_EQ(registry_->Failures()[0].kernel, "embed_f32_metal");

  Program without = Compile();
  const std::vector<Segment>& segments = without.regimes[0].graph.plan()->segments;
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].device, Device::kCpu);
  EXPECT_EQ(segments[1].device, Device::kMetal);
  for (const Node* node : without.regimes[0].graph.nodes()) {
    if (node->op().name != "embed") continue;
    for (const Rejected& rejected : node->placement()->rejected) {
      if (rejected.target == Target::kMetal) EXPECT_THAT(rejected.text, HasSubstr("flaot"));
    }
  }
  ASSERT_EQ(Load(std::move(without)), absl::OkStatus());
  ASSERT_EQ(Run(), absl::OkStatus());
  EXPECT_THAT(Result(0), ElementsAre(0, 2, 4));
}

TEST_F(MetalBackendTest, SaysThatThereIsNoDevice) {
  Program program = Compile();
  Settings none;
  none.has_device = false;
  ScopedSettings scope(none);
  NewRegistry();
  EXPECT_EQ(registry_->WhyUnavailable(Target::kMetal), "the system has no Metal device");
  const absl::Status status = Load(std::move(program));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Compile().regimes[0].graph.plan()->segments[0].device, Device::kCpu);
}

TEST_F(MetalBackendTest, ComparesWhatIsNeededWithTheWorkingSet) {
  Settings small;
  small.recommended_max_working_set_size = uint64_t{3} << 30;
  ScopedSettings scope(small);
  NewRegistry();
  EXPECT_EQ(registry_->WhyTooLarge(Target::kMetal, uint64_t{3} << 30), "");
  EXPECT_THAT(registry_->WhyTooLarge(Target::kMetal, uint64_t{7} << 29),
              HasSubstr("3.50 GiB of weights, activations and cache are more than the 3.00 GiB"));
  EXPECT_EQ(registry_->WhyTooLarge(Target::kScalar, uint64_t{7} << 29), "");
}

TEST_F(MetalBackendTest, AnEmulatedDeviceIsNeverTakenUnasked) {
  EXPECT_EQ(registry_->AutomaticRows(Target::kMetal), 0);
  EXPECT_TRUE(registry_->backend(Device::kMetal)->emulated());
  EXPECT_THAT(registry_->backend(Device::kMetal)->Description(), HasSubstr("unified_memory=yes"));
}

TEST_F(MetalBackendTest, AGpuIsTakenUnaskedFromTheRowsOfItsClass) {
  EXPECT_EQ(MakeMetalBackend()->automatic_rows(), 8);
}

}  // namespace
}  // namespace infer::metal
