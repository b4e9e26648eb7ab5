// SPDX-License-Identifier: Apache-2.0
//
// What a Program says of a kernel against the kernel of that name in this build.
#include "runtime/check_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "backends/backends.h"
#include "tests/runtime/tiny_program.h"

namespace infer {
namespace {

using test::TinyProgram;
using test::TinyWeights;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Defect {
  const char* name;
  const char* scope;
  std::function<void(KernelRecord&)> damage;
  const char* message;  // empty: accepted
};

class RecordDefects : public ::testing::TestWithParam<Defect> {};

TEST_P(RecordDefects, AreRefusedWithNodeAndKernel) {
  Program program = TinyProgram(TinyWeights());
  std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
  ASSERT_EQ(CheckKernels(program, *registry), absl::OkStatus());
  std::string kernel;
  for (Node* node : program.regimes[0].graph.nodes()) {
    if (node->scope() != GetParam().scope) continue;
    Placement placement = *node->placement();
    GetParam().damage(placement.kernel_record);
    kernel = placement.kernel;
    node->set_placement(std::move(placement));
  }
  const absl::Status status = CheckKernels(program, *registry);
  if (*GetParam().message == 0) {
    EXPECT_EQ(status, absl::OkStatus());
    return;
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("node %"), HasSubstr(kernel), HasSubstr(GetParam().message)));
}

const Defect kDefects[] = {
    {"cut_otherwise", "double", [](KernelRecord& r) { r.partition.granule = 2; },
     "divides its work by rows here, differently than by rows as planned"},
    {"not_cut", "double", [](KernelRecord& r) { r.partition = {}; }, "than by none"},
    {"reads_more_than_it_says", "embed", [](KernelRecord& r) { r.partition.own_inputs = {1}; },
     "differently than by"},
    {"layout", "logits", [](KernelRecord& r) { r.weight_layouts = {"", "q8_0_simd"}; },
     "expects weights in the layouts \",gguf\" here, not in \",q8_0_simd\""},
    {"less_workspace", "logits", [](KernelRecord& r) { r.workspace_bytes -= 1; },
     "bytes of workspace"},
    {"more_workspace", "logits", [](KernelRecord& r) { r.workspace_bytes += 1; }, ""},
};

INSTANTIATE_TEST_SUITE_P(All, RecordDefects, ::testing::ValuesIn(kDefects),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace infer
