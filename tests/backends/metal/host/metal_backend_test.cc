// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/metal_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "backends/metal/device_classes.h"
#include "ir/graph/plan.h"
#include "runtime/step_recorder.h"
#include "tests/backends/metal/host/metal_fixture.h"

namespace infer::metal {
namespace {

using emulation::ScopedSettings;
using emulation::Settings;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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

// As on macOS 14.
TEST_F(MetalBackendTest, RunsWithoutResidencySets) {
  EXPECT_THAT(registry_->backend(Device::kMetal)->Description(), Not(HasSubstr("residency_sets")));
  emulation::Counters before = emulation::counters();
  ASSERT_EQ(Load(Compile()), absl::OkStatus());
  ASSERT_EQ(Run(), absl::OkStatus());
  EXPECT_GT(emulation::counters().residency_requests, before.residency_requests);
  const std::vector<float> logits = Result(0), values = Result(1);
  loaded_.reset();

  Settings none;
  none.has_residency_sets = false;
  ScopedSettings scope(none);
  NewRegistry();
  EXPECT_THAT(registry_->backend(Device::kMetal)->Description(), HasSubstr("residency_sets=no"));
  before = emulation::counters();
  ASSERT_EQ(Load(Compile()), absl::OkStatus());
  ASSERT_EQ(Run(), absl::OkStatus());
  EXPECT_EQ(emulation::counters().residency_requests, before.residency_requests);
  EXPECT_EQ(Result(0), logits);
  EXPECT_EQ(Result(1), values);
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
