// SPDX-License-Identifier: Apache-2.0
//
// What a placement says of its kernel, as a file could have it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph/builder.h"
#include "ir/graph/placement.h"
#include "ir/ops/ops.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

struct BadRecord {
  const char* name;
  void (*damage)(KernelRecord& record);
  const char* message;
};

class BadRecords : public ::testing::TestWithParam<BadRecord> {};

TEST_P(BadRecords, AreRefused) {
  Graph graph("record");
  Value x = graph.AddInput("x", ValueType::F32({4, 64}))->output();
  GraphBuilder b(&graph);
  Value y = ops::Silu(b, x);
  Placement placement;
  placement.target = Target::kParallel;
  placement.kernel = "kernel";
  placement.rule = "rule";
  for (Target other : {Target::kScalar, Target::kSimd, Target::kMetal, Target::kCuda}) {
    placement.rejected.push_back({other, Rejected::Code::kNotInRule, "no"});
  }
  placement.kernel_record.partition = {
      .domain = PartitionDomain::kRows, .extent = {.c0 = 4}, .own_inputs = {0}, .own_results = {0}};
  GetParam().damage(placement.kernel_record);
  y.node->set_placement(placement);
  graph.AddResult(y);
  graph.set_stage(Stage::kPlaced);
  EXPECT_THAT(Verify(graph).ToString(), HasSubstr(GetParam().message));
}

const BadRecord kBadRecords[] = {
    {"granule", [](KernelRecord& r) { r.partition.granule = 0; }, "one or more whole rows"},
    {"extent", [](KernelRecord& r) { r.partition.extent = {.c0 = 0.5}; }, "one or more whole"},
    {"infinite", [](KernelRecord& r) { r.partition.extent = {.ct = 1e300}; }, "one or more whole"},
    {"sum", [](KernelRecord& r) { r.partition.extent = {.c0 = 4, .ct = 1}; }, "one or more whole"},
    {"not_whole_parts", [](KernelRecord& r) { r.partition.extent = {.c0 = 3}; },
     "cannot be divided into its units"},
    {"by_symbol", [](KernelRecord& r) { r.partition.extent = {.ct = 1}; },
     "cannot be divided into its units"},
    {"columns_of_another_width",
     [](KernelRecord& r) {
       r.partition.domain = PartitionDomain::kColumns;
       r.partition.extent = {.c0 = 32};
     },
     "cannot be divided into its units"},
    {"no_such_input", [](KernelRecord& r) { r.partition.own_inputs = {1}; }, "does not exist"},
    {"no_such_result", [](KernelRecord& r) { r.partition.own_results = {-1}; }, "does not exist"},
    {"twice", [](KernelRecord& r) { r.partition.own_inputs = {0, 0}; }, "is out of order"},
    {"not_cut", [](KernelRecord& r) { r.partition.domain = PartitionDomain::kNone; },
     "is not divided but has units"},
    {"layouts", [](KernelRecord& r) { r.weight_layouts = {"gguf", ""}; },
     "layouts for 2 inputs, the number of inputs is 1"},
    {"layout_of_no_weight", [](KernelRecord& r) { r.weight_layouts = {"gguf"}; },
     "is not a weight but has a layout"},
    {"workspace", [](KernelRecord& r) { r.workspace_bytes = ~uint64_t{0}; }, "less than 2^40"},
};

INSTANTIATE_TEST_SUITE_P(KernelRecord, BadRecords, ::testing::ValuesIn(kBadRecords),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace infer
