// SPDX-License-Identifier: Apache-2.0
#include "runtime/executable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/backends.h"
#include "ir/graph/plan.h"
#include "tests/runtime/tiny_program.h"
#include "tests/support/loaded_program.h"

namespace infer {
namespace {

using test::KernelNamed;
using test::LoadedProgram;
using test::RegistryOf;
using test::ScalarKernelsExcept;
using test::TinyProgram;
using test::TinyWeights;
using test::TwoRegimeProgram;
using test::VectorWeights;
using ::testing::AllOf;
using ::testing::HasSubstr;

// What becomes of making the program ready.
absl::Status StatusOf(Program program, const KernelRegistry& registry,
                      const VectorWeights& weights = TinyWeights()) {
  return LoadedProgram::Create(std::move(program), weights, registry).status();
}

void ExpectUnimplemented(const absl::Status& status, const char* node, const char* what) {
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(node), HasSubstr(what), HasSubstr("compile the program again")));
}

Node* NodeIn(const Program& program, std::string_view scope) {
  for (Node* node : program.regimes[0].graph.nodes()) {
    if (node->scope() == scope) return node;
  }
  return nullptr;
}

void SetKernel(const Program& program, std::string_view scope, std::string kernel) {
  Node* node = NodeIn(program, scope);
  Placement placement = *node->placement();
  placement.kernel = std::move(kernel);
  node->set_placement(std::move(placement));
}

TEST(Executable, MissingKernelIsNamedWithItsNode) {
  std::vector<CpuKernel> kernels = ScalarKernelsExcept("linear_f32_scalar");
  ExpectUnimplemented(StatusOf(TinyProgram(TinyWeights()), *RegistryOf(kernels)),
                      "%logits (linear)", "kernel linear_f32_scalar is not in this build");
}

TEST(Executable, KernelOfAnotherOpIsRefused) {
  Program program = TinyProgram(TinyWeights());
  SetKernel(program, "double", "silu_f32_scalar");
  ExpectUnimplemented(StatusOf(std::move(program), *MakeKernelRegistry()), "%double (scale)",
                      "silu_f32_scalar implements silu on scalar, but the node is a scale");
}

TEST(Executable, KernelThatRefusesTheNodeIsRefused) {
  Program program = TinyProgram(TinyWeights());
  SetKernel(program, "embed", "embed_q8_0_scalar");
  ExpectUnimplemented(StatusOf(std::move(program), *MakeKernelRegistry()), "%embed (embed)",
                      "embed_q8_0_scalar does not accept the node");
}

TEST(Executable, KernelOfAnotherTargetIsRefused) {
  std::vector<CpuKernel> kernels = ScalarKernelsExcept("");
  KernelNamed(kernels, "scale_f32_scalar").info.target = Target::kSimd;
  ExpectUnimplemented(StatusOf(TinyProgram(TinyWeights()), *RegistryOf(kernels)), "%double (scale)",
                      "on simd");
}

TEST(Executable, KernelForFewerRowsIsRefused) {
  std::vector<CpuKernel> kernels = ScalarKernelsExcept("");
  KernelNamed(kernels, "scale_f32_scalar").info.max_rows = 5;
  ExpectUnimplemented(StatusOf(TinyProgram(TinyWeights()), *RegistryOf(kernels)), "%double (scale)",
                      "takes 1 to 5 rows, not 1 to 6");
}

TEST(Executable, OpThatComputesMustNotPassForAView) {
  Program program = TinyProgram(TinyWeights());
  SetKernel(program, "double", std::string(kViewKernel));
  ExpectUnimplemented(StatusOf(std::move(program), *MakeKernelRegistry()), "%double (scale)",
                      "the op is not a view");
}

TEST(Executable, WorkspaceBeyondThePlannedIsRefused) {
  std::vector<CpuKernel> kernels = ScalarKernelsExcept("");
  KernelNamed(kernels, "scale_f32_scalar").info.workspace_bytes =
      [](const Node&, const SymbolRanges&) -> uint64_t { return 123456; };
  ExpectUnimplemented(StatusOf(TinyProgram(TinyWeights()), *RegistryOf(kernels)), "%double (scale)",
                      "needs 123456 bytes of workspace and 0 per thread; 0 and 0 were planned");
}

TEST(Executable, MissingDeviceIsUnavailable) {
  KernelRegistry nothing({});
  absl::Status status = StatusOf(TinyProgram(TinyWeights()), nothing);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("device cpu"));
}

TEST(Executable, WeightsOfAnotherShapeAreRefused) {
  VectorWeights weights = TinyWeights();
  weights.info(0).dims = {4, 8};
  absl::Status status = StatusOf(TinyProgram(TinyWeights()), *MakeKernelRegistry(), weights);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("weight table is f32[4,8] in the model file, the program expects f32[8,4]"));
  weights.info(0).name = "other";
  EXPECT_THAT(
      std::string(StatusOf(TinyProgram(TinyWeights()), *MakeKernelRegistry(), weights).message()),
      HasSubstr("weight table is not in the model file"));
}

TEST(Executable, RegimesShareOneArenaOfTheLargest) {
  VectorWeights weights = TinyWeights();
  std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
  Program program = TwoRegimeProgram(weights);
  uint64_t small = program.regimes[0].graph.plan()->arenas[0].bytes;
  uint64_t large = program.regimes[1].graph.plan()->arenas[0].bytes;
  ASSERT_LT(small, large);
  auto executable = Executable::CreateAlone(std::move(program), weights, *registry);
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ((*executable)->arena_bytes(Device::kCpu).values, large);
  EXPECT_EQ((*executable)->regimes().size(), 2u);
}

TEST(Executable, ProgramsOfOneModelShareItsPackedWeights) {
  VectorWeights weights = TinyWeights();
  std::vector<CpuKernel> kernels = ScalarKernelsExcept("");
  KernelNamed(kernels, "linear_f32_scalar").info.weight_layout = [](const Node&, int) {
    return std::string_view("copied");
  };
  const WeightLayout layout = {
      .name = "copied",
      .variant = "1",
      .bytes = [](int64_t rows, int64_t columns) -> uint64_t { return 4 * rows * columns; },
      .pack =
          [](const std::byte* rows, int64_t, int64_t columns, int64_t begin, int64_t end,
             std::byte* packed) {
            std::memcpy(packed + begin * columns * 4, rows + begin * columns * 4,
                        (end - begin) * columns * 4);
          }};
  std::unique_ptr<KernelRegistry> registry = RegistryOf(kernels, {&layout, 1});
  auto program = std::make_shared<const Program>(TinyProgram(weights, *registry));
  PackedWeights packed(weights);
  ASSERT_TRUE(Executable::Create(program, packed, *registry).ok());
  const uint64_t bytes = packed.bytes();
  EXPECT_EQ(packed.num_packed(), 1);
  ASSERT_TRUE(Executable::Create(program, packed, *registry).ok());
  EXPECT_EQ(packed.num_packed(), 1) << "packed once";
  EXPECT_EQ(packed.bytes(), bytes);
}

TEST(Executable, WorkspaceThatGrowsWithTheContextTiesTheProgramToIt) {
  std::vector<CpuKernel> kernels = ScalarKernelsExcept("");
  KernelNamed(kernels, "scale_f32_scalar").info.workspace_bytes =
      [](const Node&, const SymbolRanges& symbols) -> uint64_t {
    return static_cast<uint64_t>(symbols[Symbol::kS].max);
  };
  VectorWeights weights = TinyWeights();
  std::unique_ptr<KernelRegistry> registry = RegistryOf(kernels);
  Program program = TinyProgram(weights, *registry);
  auto executable = Executable::CreateAlone(std::move(program), weights, *registry);
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_TRUE((*executable)->depends_on_context());
}

}  // namespace
}  // namespace infer
