// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernel_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backends/backends.h"
#include "ir/ops/ops.h"
#include "tests/runtime/tiny_program.h"

namespace infer {
namespace {

using test::KernelNamed;
using test::RegistryOf;
using test::ScalarKernelsExcept;
using ::testing::HasSubstr;

class KernelRegistryTest : public ::testing::Test {
 protected:
  KernelRegistryTest() : builder_(&graph_) {
    x_ = graph_.AddInput("x", ValueType::F32({Symbol::kT, 4}))->output();
    silu_ = ops::Silu(builder_, x_).node;
    view_ = ops::Reshape(builder_, x_, {0, 2, 2}).node;
    symbols_[Symbol::kT] = {1, 8};
    symbols_[Symbol::kR] = {1, 1};
    symbols_[Symbol::kS] = {1, 16};
  }

  Graph graph_;
  GraphBuilder builder_;
  Value x_;
  Node* silu_;
  Node* view_;
  SymbolRanges symbols_;
};

TEST_F(KernelRegistryTest, FindsTheKernelOfANode) {
  KernelAnswer answer = MakeKernelRegistry()->Find(*silu_, Target::kScalar, symbols_);
  ASSERT_TRUE(answer.kernel) << answer.reason;
  EXPECT_EQ(answer.kernel->name, "silu_f32_scalar");
  const KernelRecord& record = answer.kernel->record;
  EXPECT_TRUE(record.weight_layouts.empty());
  EXPECT_EQ(record.workspace_bytes, 0u);
  EXPECT_EQ(record.partition.domain, PartitionDomain::kRows);
  EXPECT_TRUE(record.partition.OwnsInput(0) && record.partition.OwnsResult(0));
}

TEST_F(KernelRegistryTest, SaysWhyThereIsNone) {
  std::vector<CpuKernel> scalar = ScalarKernelsExcept("");
  std::unique_ptr<KernelRegistry> registry = RegistryOf(scalar);
  KernelAnswer metal = registry->Find(*silu_, Target::kMetal, symbols_);
  EXPECT_FALSE(metal.kernel);
  EXPECT_THAT(metal.reason, HasSubstr("this machine has no"));
  KernelAnswer simd = registry->Find(*silu_, Target::kSimd, symbols_);
  EXPECT_FALSE(simd.kernel);
  EXPECT_EQ(simd.reason, "no simd kernel for silu");
  std::vector<CpuKernel> kernels = ScalarKernelsExcept("silu_f32_scalar");
  EXPECT_EQ(RegistryOf(kernels)->Find(*silu_, Target::kScalar, symbols_).reason,
            "no scalar kernel for silu");
}

TEST_F(KernelRegistryTest, GivesTheReasonOfTheKernelThatRefused) {
  Value table = ops::WeightRef(builder_, "w", ValueType::Tensor(DType::kQ8_1, {8, 32}));
  Value ids = graph_.AddInput("ids", ValueType::Tensor(DType::kI32, {Symbol::kT}))->output();
  Node* embed = ops::Embed(builder_, table, ids).node;
  KernelAnswer answer = MakeKernelRegistry()->Find(*embed, Target::kScalar, symbols_);
  EXPECT_FALSE(answer.kernel);
  EXPECT_THAT(answer.reason, HasSubstr("q8_1"));
}

TEST_F(KernelRegistryTest, OnlyKernelsThatSaySoTakeRoundedRows) {
  Value x = graph_.AddInput("r", ValueType::Tensor(DType::kBF16, {Symbol::kT, 32}))->output();
  Value weight = ops::WeightRef(builder_, "w", ValueType::Tensor(DType::kF32, {8, 32}));
  Node* linear = ops::Linear(builder_, x, weight).node;
  std::vector<CpuKernel> kernels = ScalarKernelsExcept("");
  CpuKernel& kernel = KernelNamed(kernels, "linear_f32_scalar");
  kernel.info.accepts = [](const Node&) { return Decision::Accept(); };
  EXPECT_THAT(RegistryOf(kernels)->Find(*linear, Target::kScalar, symbols_).reason,
              HasSubstr("reads f32, not bf16"));
  EXPECT_TRUE(RegistryOf(kernels)->LimitsOf(*linear, Target::kScalar).empty());
  kernel.info.takes_rounded = true;
  const KernelAnswer answer = RegistryOf(kernels)->Find(*linear, Target::kScalar, symbols_);
  ASSERT_TRUE(answer.kernel) << answer.reason;
  EXPECT_EQ(answer.kernel->name, "linear_f32_scalar");
}

TEST_F(KernelRegistryTest, KernelsForFewerRowsAreNotTaken) {
  std::vector<CpuKernel> kernels = ScalarKernelsExcept("");
  KernelNamed(kernels, "silu_f32_scalar").info.max_rows = 4;
  std::unique_ptr<KernelRegistry> registry = RegistryOf(kernels);
  EXPECT_THAT(registry->Find(*silu_, Target::kScalar, symbols_).reason,
              HasSubstr("silu_f32_scalar takes 1 to 4 rows, not 1 to 8"));
  symbols_[Symbol::kT] = {1, 4};
  EXPECT_TRUE(registry->Find(*silu_, Target::kScalar, symbols_).kernel);
}

// The first result is a cache of 1 head, the rows are the tokens'.
TEST_F(KernelRegistryTest, RowsAreThoseOfTheFirstTensor) {
  Value batch = graph_.AddInput("batch", ValueType::Batch())->output();
  Value kv = ops::KvState(builder_, 0, ValueType::Kv(DType::kF16, 1, 4));
  Value norm = ops::WeightRef(builder_, "n", ValueType::F32({4}));
  auto [written, heads] =
      ops::AttentionInputs(builder_, {kv, x_, x_, x_, norm, norm, batch}, 1e-6, {});
  ASSERT_TRUE(builder_.status().ok()) << builder_.status();
  std::vector<CpuKernel> kernels = ScalarKernelsExcept("");
  KernelInfo kernel = KernelNamed(kernels, "silu_f32_scalar").info;
  kernel.name = "few";
  kernel.max_rows = 4;
  kernel.accepts = [](const Node&) { return Decision::Accept(); };
  EXPECT_EQ(Takes(kernel, *heads.node, symbols_).reason(), "few takes 1 to 4 rows, not 1 to 8");
  symbols_[Symbol::kT] = {1, 4};
  EXPECT_TRUE(Takes(kernel, *heads.node, symbols_).accepted());
}

TEST_F(KernelRegistryTest, OfSeveralTheFirstInTheTableIsTaken) {
  std::vector<CpuKernel> kernels = ScalarKernelsExcept("");
  for (const char* name : {"silu_second", "silu_third", "silu_fourth"}) {
    kernels.push_back(KernelNamed(kernels, "silu_f32_scalar"));
    kernels.back().info.name = name;
  }
  EXPECT_EQ(RegistryOf(kernels)->Find(*silu_, Target::kScalar, symbols_).kernel->name,
            "silu_f32_scalar");
  KernelNamed(kernels, "silu_f32_scalar").info.max_rows = 1;
  EXPECT_EQ(RegistryOf(kernels)->Find(*silu_, Target::kScalar, symbols_).kernel->name,
            "silu_second");
}

TEST_F(KernelRegistryTest, ViewsNeedNoKernel) {
  KernelAnswer answer = MakeKernelRegistry()->Find(*view_, Target::kScalar, symbols_);
  ASSERT_TRUE(answer.kernel) << answer.reason;
  EXPECT_EQ(answer.kernel->name, kViewKernel);
}

TEST_F(KernelRegistryTest, KnowsKernelsAndDevicesByName) {
  std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
  ASSERT_NE(registry->kernel("silu_f32_scalar"), nullptr);
  EXPECT_EQ(registry->kernel("silu_f32_scalar")->op, &ops::kSilu);
  EXPECT_EQ(registry->kernel("silu"), nullptr);
  EXPECT_NE(registry->backend(Device::kCpu), nullptr);
  EXPECT_EQ(registry->backend(DeviceOf(Target::kMetal)), nullptr);
}

// A device that shares the cpu's memory and whose first kernel does not work.
class BrokenMetal : public Backend {
 public:
  Device device() const override { return Device::kMetal; }
  std::span<const KernelInfo> kernels() const override { return kernels_; }
  std::string WhyNot(std::string_view kernel) const override {
    return kernel == kernels_[0].name ? "expected\t';'\nint x" : "";
  }
  std::vector<KernelFailure> Failures() const override {
    return {{std::string(kernels_[0].name), WhyNot(kernels_[0].name)}};
  }
  std::string WhyTooLarge(uint64_t bytes) const override { return bytes > 100 ? "100 fit" : ""; }
  absl::StatusOr<BoundKernel> Bind(const Node&, std::string_view) const override {
    return absl::UnimplementedError("has no kernels");
  }
  absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(std::vector<PreparedStep>,
                                                           uint64_t) const override {
    return absl::UnimplementedError("runs nothing");
  }

 private:
  static Decision Any(const Node&) { return Decision::Accept(); }
  const KernelInfo kernels_[2] = {{"silu_fast_metal", &ops::kSilu, Target::kMetal, Any},
                                  {"silu_slow_metal", &ops::kSilu, Target::kMetal, Any, 8}};
};

TEST_F(KernelRegistryTest, LeavesKernelsOutThatDoNotWork) {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<BrokenMetal>());
  const KernelRegistry registry(std::move(backends));
  EXPECT_EQ(registry.Find(*silu_, Target::kMetal, symbols_).reason,
            "silu_fast_metal does not work here: expected ';'");
  symbols_[Symbol::kT] = {8, 8};
  EXPECT_EQ(registry.Find(*silu_, Target::kMetal, symbols_).kernel->name, "silu_slow_metal");
  ASSERT_EQ(registry.LimitsOf(*silu_, Target::kMetal).size(), 1u);
  EXPECT_EQ(registry.WhyNot(*registry.kernel("silu_fast_metal")),
            "silu_fast_metal does not work here: expected ';'");
  ASSERT_EQ(registry.Failures().size(), 1u);
  EXPECT_EQ(registry.Failures()[0].kernel, "silu_fast_metal");
}

TEST_F(KernelRegistryTest, PassesOnWhatDevicesSayAboutTheirMemory) {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<BrokenMetal>());
  const KernelRegistry registry(std::move(backends), {{Device::kCpu, "it is gone"}});
  for (const KernelCatalog* catalog :
       {static_cast<const KernelCatalog*>(&registry), &registry.For(Policy::Activations::kFloat)}) {
    EXPECT_EQ(catalog->SpaceOf(Device::kMetal), Device::kCpu);
    EXPECT_EQ(catalog->WhyTooLarge(Target::kMetal, 100), "");
    EXPECT_EQ(catalog->WhyTooLarge(Target::kMetal, 101), "100 fit");
    EXPECT_EQ(catalog->WhyUnavailable(Target::kScalar), "it is gone");
  }
}

}  // namespace
}  // namespace infer
