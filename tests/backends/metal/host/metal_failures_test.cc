// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong on a GPU, done on purpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Metal/Metal.hpp>
#include <string>
#include <vector>

#include "backends/metal/device_classes.h"
#include "ir/graph/plan.h"
#include "tests/backends/metal/host/metal_fixture.h"

namespace infer::metal {
namespace {

using emulation::ScopedSettings;
using emulation::Settings;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class MetalFailures : public MetalBackendTest {
 protected:
  // Compiled once more, the model runs without that kernel, and the placement says why.
  void ExpectAllButEmbedOnMetal(const std::string& why) {
    ASSERT_EQ(registry_->Failures().size(), 1u);
    EXPECT_EQ(registry_->Failures()[0].kernel, "embed_f32_metal");
    Program without = Compile();
    const std::vector<Segment>& segments = without.regimes[0].graph.plan()->segments;
    ASSERT_EQ(segments.size(), 2u);
    EXPECT_EQ(segments[0].device, Device::kCpu);
    EXPECT_EQ(segments[1].device, Device::kMetal);
    std::string reason;
    for (const Node* node : without.regimes[0].graph.nodes()) {
      if (node->op().name != "embed") continue;
      for (const Rejected& rejected : node->placement()->rejected) {
        if (rejected.target == Target::kMetal) reason = rejected.text;
      }
    }
    EXPECT_THAT(reason, HasSubstr(why));
    ASSERT_EQ(Load(std::move(without)), absl::OkStatus());
    ASSERT_EQ(Run(), absl::OkStatus());
    EXPECT_THAT(Result(0), ElementsAre(0, 2, 4));
  }
};

TEST_F(MetalFailures, AFailedCommandBufferIsAStatusWithNodesAndKernels) {
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
    EXPECT_THAT(status.ToString(), HasSubstr("recording a trace runs one step at a time"));
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
    EXPECT_THAT(status.ToString(), Not(HasSubstr("recording a trace")));
  }
  EXPECT_EQ(Run(), absl::OkStatus());
}

// What the system says of the two failures that a user can do something about.
TEST_F(MetalFailures, SaysWhatHelpsAgainstTooMuchMemoryAndTooLongWork) {
  struct Case {
    int code;
    const char* text;
    absl::StatusCode status;
    const char* hint;
  };
  constexpr char kShorter[] = "use fewer tokens per call for shorter command buffers";
  const Case cases[] = {
      {MTL::CommandBufferErrorOutOfMemory, "Insufficient Memory",
       absl::StatusCode::kResourceExhausted, "make the context shorter"},
      {MTL::CommandBufferErrorTimeout, "Caused GPU Timeout Error",
       absl::StatusCode::kDeadlineExceeded, kShorter},
      {14,
       "Impacting Interactivity (0000000e:kIOGPUCommandBufferCallbackErrorImpactingInteractivity)",
       absl::StatusCode::kDeadlineExceeded, kShorter},
      {14, "some other driver error", absl::StatusCode::kInternal, "some other driver error"},
  };
  ASSERT_EQ(Load(Compile()), absl::OkStatus());
  for (const Case& c : cases) {
    Settings failing;
    failing.failing_commit = 1;
    failing.failing_commit_code = c.code;
    failing.failing_commit_text = c.text;
    ScopedSettings scope(failing);
    const absl::Status status = Run();
    EXPECT_EQ(status.code(), c.status) << status;
    EXPECT_THAT(status.ToString(), HasSubstr(c.text));
    EXPECT_THAT(status.ToString(), HasSubstr(c.hint));
  }
}

// What was committed stays, nothing follows it, and no kernel is suspected: the next call tries the
// same again.
TEST_F(MetalFailures, AFailureInMidSegmentEndsTheCallAndChangesNoPlacement) {
  DeviceClass slow = FindDeviceClass("");
  slow.command_buffer_flops = 1;  // a command buffer for each dispatch that computes something
  NewRegistry({.emulated = true, .device_class = slow});
  ASSERT_EQ(Load(Compile()), absl::OkStatus());
  emulation::Counters before = emulation::counters();
  ASSERT_EQ(Run(), absl::OkStatus());
  const uint64_t whole = emulation::counters().command_buffers - before.command_buffers;
  ASSERT_GE(whole, 2u);
  {
    Settings failing;
    failing.failing_commit = 1;
    ScopedSettings scope(failing);
    before = emulation::counters();
    EXPECT_THAT(Run().ToString(), HasSubstr("kernel embed_f32_metal"));
    EXPECT_EQ(emulation::counters().command_buffers - before.command_buffers, 1u);
  }
  EXPECT_TRUE(registry_->Failures().empty());
  before = emulation::counters();
  ASSERT_EQ(Run(), absl::OkStatus());
  EXPECT_EQ(emulation::counters().command_buffers - before.command_buffers, whole);
  EXPECT_EQ(emulation::counters().pipelines, before.pipelines);
  EXPECT_THAT(Result(0), ElementsAre(0, 2, 4));
}

// One bad function takes its kernel away, before anything runs, and nothing else.
TEST_F(MetalFailures, AKernelThatDoesNotCompileIsLeftOutNextTime) {
  Program program = Compile();
  Settings failing;
  failing.pipeline_failures["embed_f32"] = "unknown type name 'flaot'\nsecond line";
  ScopedSettings scope(failing);
  NewRegistry();
  const absl::Status status = Load(std::move(program));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.ToString(), HasSubstr("kernel embed_f32_metal does not work here"));
  EXPECT_THAT(status.ToString(), HasSubstr("unknown type name 'flaot'"));
  ExpectAllButEmbedOnMetal("flaot");
}

// The device runs embed in groups of 32 threads, as if it took many registers.
TEST_F(MetalFailures, AKernelWhoseGroupsAreTooLargeIsLeftOutNextTime) {
  Settings small;
  small.max_threads["embed_f32"] = 32;
  small.max_threads["scale_f32"] = 256;  // exactly what is needed
  ScopedSettings scope(small);
  const emulation::Counters before = emulation::counters();
  const absl::Status status = Load(Compile());
  EXPECT_EQ(status, absl::UnavailableError(
                        "metal: kernel embed_f32_metal does not work here: embed_f32 needs groups "
                        "of 64 threads, the device runs it with up to 32"));
  EXPECT_EQ(emulation::counters().residency_requests, before.residency_requests);  // no memory yet
  ExpectAllButEmbedOnMetal("needs groups of 64 threads");
}

// The compiler's text is passed on whole, and kernels of other files are not concerned.
TEST_F(MetalFailures, AShaderFileThatDoesNotCompileTakesItsKernelsAlone) {
  constexpr char kText[] = "program_source:7:3: error: unknown type name 'flaot'\n  flaot x;";
  Settings failing;
  failing.library_failures["embed"] = kText;
  ScopedSettings scope(failing);
  const absl::Status status = Load(Compile());
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.ToString(),
              HasSubstr(StrCat("metal: kernel embed_f32_metal does not work here: embed.metal does "
                               "not compile: ",
                               kText)));
  ExpectAllButEmbedOnMetal("unknown type name 'flaot'");
}

TEST_F(MetalFailures, SaysThatThereIsNoDevice) {
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

// Such a device may not know the call that makes a residency set.
TEST_F(MetalFailures, ADeviceThatIsTooOldIsAskedForNothing) {
  Settings old;
  old.apple_family = 6;
  ScopedSettings scope(old);
  const emulation::Counters before = emulation::counters();
  NewRegistry();
  EXPECT_THAT(registry_->WhyUnavailable(Target::kMetal), HasSubstr("not of the family Apple7"));
  EXPECT_EQ(emulation::counters().residency_sets, before.residency_sets);
  EXPECT_THAT(registry_->backend(Device::kMetal)->Description(), Not(HasSubstr("residency_sets")));

  old.apple_family = 7;
  ScopedSettings newer(old);
  NewRegistry();
  EXPECT_EQ(registry_->WhyUnavailable(Target::kMetal), "");
  EXPECT_GT(emulation::counters().residency_sets, before.residency_sets);
}

TEST_F(MetalFailures, ComparesWhatIsNeededWithTheWorkingSet) {
  Settings small;
  small.recommended_max_working_set_size = uint64_t{3} << 30;
  ScopedSettings scope(small);
  NewRegistry();
  EXPECT_EQ(registry_->WhyTooLarge(Target::kMetal, uint64_t{3} << 30), "");
  EXPECT_THAT(registry_->WhyTooLarge(Target::kMetal, uint64_t{7} << 29),
              HasSubstr("3.50 GiB of weights, activations and cache are more than the 3.00 GiB"));
  EXPECT_EQ(registry_->WhyTooLarge(Target::kScalar, uint64_t{7} << 29), "");
}

}  // namespace
}  // namespace infer::metal
