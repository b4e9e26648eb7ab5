// SPDX-License-Identifier: Apache-2.0
#include "runtime/program_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph/plan.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using test::SampleProgram;
using ::testing::HasSubstr;
using ::testing::Not;

// A device that runs nothing and says what it was asked to load.
class FakeMetal : public Backend {
 public:
  FakeMetal(Device space, size_t* loaded) : space_(space), loaded_(loaded) {}
  Device device() const override { return Device::kMetal; }
  // What it works in besides the cpu's memory is never used here.
  std::shared_ptr<MemorySpace> memory() const override {
    if (space_ == Device::kCpu) return nullptr;
    return {std::shared_ptr<void>(), &CpuSpace()};
  }
  std::span<const KernelInfo> kernels() const override { return {}; }
  std::string WhyTooLarge(uint64_t bytes) const override {
    return bytes > 10'000 ? std::to_string(bytes) + " bytes" : "";
  }
  absl::Status Load(std::span<const RegimeNode> nodes) const override {
    *loaded_ = nodes.size();
    return absl::OkStatus();
  }
  absl::StatusOr<BoundKernel> Bind(const Node&, std::string_view) const override {
    return absl::UnimplementedError("has no kernels");
  }
  absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(std::vector<PreparedStep>,
                                                           uint64_t) const override {
    return absl::UnimplementedError("runs nothing");
  }

 private:
  Device space_;
  size_t* loaded_;
};

class ProgramDevicesTest : public ::testing::Test {
 protected:
  // Of the second regime, the whole plan on metal in the cpu's memory.
  ProgramDevicesTest() {
    Graph& graph = program_.regimes[1].graph;
    for (Node* node : graph.nodes()) {
      if (!node->placement()) continue;
      Placement placement = *node->placement();
      placement.target = Target::kMetal;
      if (node->op().traits.view) placement.kernel = kViewKernel;
      node->set_placement(placement);
    }
    Plan plan = *graph.plan();
    plan.segments[0].device = Device::kMetal;
    plan.segments[0].shared_space = Device::kCpu;
    graph.set_plan(plan);
  }

  KernelRegistry WithMetal(Device space) {
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(std::make_unique<FakeMetal>(space, &loaded_));
    return KernelRegistry(std::move(backends));
  }

  Program program_ = SampleProgram();
  size_t loaded_ = 0;
};

TEST_F(ProgramDevicesTest, NodesOfOtherDevicesAreListedWithoutViews) {
  const auto nodes = NodesByDevice(program_);
  ASSERT_EQ(nodes.size(), 1u);
  size_t computing = 0;
  for (const Node* node : program_.regimes[1].graph.nodes()) {
    computing += node->placement() && !node->op().traits.view;
  }
  EXPECT_EQ(nodes.at(Device::kMetal).size(), computing);
  for (const RegimeNode& node : nodes.at(Device::kMetal)) {
    EXPECT_EQ(node.symbols, program_.regimes[1].graph.symbols());
  }
  EXPECT_TRUE(NodesByDevice(SampleProgram()).empty());
}

TEST_F(ProgramDevicesTest, ADeviceThatIsNotThereIsNamedWithTheReason) {
  const KernelRegistry none({}, {{Device::kCpu, "no cpu"}, {Device::kMetal, "buy one"}});
  program_.regimes.erase(program_.regimes.begin());
  const absl::Status status = LoadDevices(program_, none);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.ToString(), HasSubstr("the device metal, which this machine does not have: "
                                           "buy one; compile it again"));
}

TEST_F(ProgramDevicesTest, MemoryMustBeTheOneThatWasPlannedFor) {
  program_.regimes.erase(program_.regimes.begin());
  EXPECT_EQ(LoadDevices(program_, WithMetal(Device::kCpu)), absl::OkStatus());
  EXPECT_EQ(loaded_, NodesByDevice(program_).at(Device::kMetal).size());
  const absl::Status status = LoadDevices(program_, WithMetal(Device::kMetal));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.ToString(),
              HasSubstr("the device metal, which was planned to work in the memory "
                        "of cpu; here it works in the memory of metal"));
  EXPECT_THAT(status.ToString(), Not(HasSubstr("does not have")));
}

// The weights of the sample have 8.6 KiB.
TEST_F(ProgramDevicesTest, WeightsActivationsAndCacheMustFitTogether) {
  const KernelRegistry registry = WithMetal(Device::kCpu);
  uint64_t bytes = program_.regimes[1].graph.plan()->arenas[0].bytes;
  for (const Weight& weight : program_.weights) bytes += weight.bytes;
  const uint64_t cache = 100'000;
  const absl::Status status = CheckDeviceMemory(program_, registry, cache);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.ToString(), HasSubstr("metal: " + std::to_string(bytes + cache) + " bytes"));
  // Nothing is asked for a Program that stays on the cpu.
  EXPECT_EQ(CheckDeviceMemory(SampleProgram(), registry, cache), absl::OkStatus());
}

}  // namespace
}  // namespace infer
