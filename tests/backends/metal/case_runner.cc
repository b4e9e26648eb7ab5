// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/metal/case_runner.h"

#include "backends/metal/metal_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/status_macros.h"

namespace infer::metal {

using conformance::CaseData;
using conformance::CaseResult;
using conformance::ConformanceCase;

#ifdef INFER_TEST_EMULATION
WithOrder::~WithOrder() { EXPECT_THAT(emulation::TakeProblems(), ::testing::IsEmpty()); }

emulation::Settings WithOrder::Changed(Order order) {
  emulation::Settings settings = emulation::settings();
  settings.order = order;
  settings.dispatch_order = order;
  settings.workers = 1;  // a test of small shapes: threads cost more than they bring
  return settings;
}
#endif

const Backend& Metal() {
  static const std::unique_ptr<Backend> backend = MakeMetalBackend({.emulated = kEmulated});
  return *backend;
}

bool Takes(const KernelInfo& kernel, const ConformanceCase& c) {
  if (kernel.op != c.op) return false;
  Graph graph;
  return kernel.accepts(*conformance::MakeNode(c, &graph)).accepted();
}

absl::Status RunStep(const CaseMemory& memory, const KernelArgs& args, const Node& node,
                     const KernelInfo& kernel) {
  ASSIGN_OR_RETURN(const std::unique_ptr<DeviceContext> mapped,
                   Metal().MakeContext(memory.spans()));
  ASSIGN_OR_RETURN(BoundKernel bound, Metal().Bind(node, kernel.name));
  KernelArgs bound_args = args;
  bound_args.bound = bound.constants.get();
  ASSIGN_OR_RETURN(const std::unique_ptr<CompiledSegment> segment,
                   Metal().Prepare({{.node = &node, .bound = std::move(bound)}}, 0));
  return segment->Run({}, {{&bound_args, 1}, mapped.get()});
}

CaseResult RunOnMetal(const ConformanceCase& c, const CaseData& data, const Node& node,
                      const KernelInfo& kernel, Place place) {
  const CaseMemory memory(c, data, node, place);
  const absl::Status status = RunStep(memory, memory.args(), node, kernel);
  EXPECT_TRUE(status.ok()) << status;
  return memory.Result();
}

}  // namespace infer::metal
