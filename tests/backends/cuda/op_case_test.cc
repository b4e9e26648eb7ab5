// SPDX-License-Identifier: Apache-2.0
//
// The benchmark of single kernels, and with it the calibration, in the memory of a card.
#include "tools/bench/op_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "backends/cuda/cuda_backend.h"
#include "tests/cuda_emulation/stand_in_driver.h"

namespace infer::cuda {
namespace {

// Times on a device that says it is emulated are refused; here nothing is timed.
std::unique_ptr<KernelRegistry> RegistryWithTimedCuda() {
  std::vector<std::unique_ptr<Backend>> more;
  more.push_back(MakeCudaBackend(*CudaDevice::Open(cuda_emulation::StandInDriver()),
                                 cuda_emulation::StandInModules(), /*emulated=*/false));
  return MakeKernelRegistry(std::move(more));
}

TEST(CudaOpCase, RunsEveryKindOfOpInTheMemoryOfTheCard) {
  cuda_emulation::SetSettings({});
  const auto registry = RegistryWithTimedCuda();
  const OpShape shape = {.rows = 2,
                         .columns = 64,
                         .inner = 64,
                         .depth = 5,
                         .heads = 2,
                         .kv_heads = 1,
                         .head_dim = 64,
                         .type = DType::kF16};
  for (const char* op : {"add", "rms_norm", "linear", "attention", "attention_inputs"}) {
    SCOPED_TRACE(op);
    absl::StatusOr<std::unique_ptr<OpCase>> made = OpCase::Create(
        {.op = op, .shape = shape, .target = Target::kCuda, .least_copies = 2, .steps = 3},
        *registry);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_GT(cuda_emulation::AllocatedBytes(), 0u);
    const int64_t replays = cuda_emulation::GraphReplays();
    for (int i = 0; i < 3; ++i) (*made)->Run();
    EXPECT_GT(cuda_emulation::GraphReplays(), replays) << "as in a model";
    EXPECT_THAT(cuda_emulation::TakeFaults(), ::testing::IsEmpty());
  }
  EXPECT_EQ(cuda_emulation::AllocatedBytes(), 0u);
}

}  // namespace
}  // namespace infer::cuda
