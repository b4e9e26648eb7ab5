// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/cuda/launches_of.h"

#include "ir/ops/ops.h"

namespace infer::cuda {

using conformance::CaseData;
using conformance::ConformanceCase;

std::vector<Launch> LaunchesOf(const ConformanceCase& c, std::string_view kernel) {
  Graph graph;
  const Node* node = conformance::MakeNode(c, &graph);
  const CaseData data(c);
  const CaseMemory memory(c, data, *node, Place::kApart);
  std::vector<std::byte> workspace(1 << 20);
  std::vector<Launch> launches;
  for (const CudaKernel& candidate : CudaKernels()) {
    if (candidate.info.name != kernel) continue;
    KernelArgs args = memory.args();
    args.workspace = workspace.data();
    candidate.launch(args, {.host = &data.batch.batch(), .max_shared_bytes = 227 * 1024}, launches);
  }
  return launches;
}

std::vector<std::string> FunctionsOf(const std::vector<Launch>& launches) {
  std::vector<std::string> names;
  for (const Launch& launch : launches) names.push_back(launch.function);
  return names;
}

ConformanceCase ProductCase(DType type, int32_t tokens, int64_t inner, int64_t outputs) {
  return {
      .name = "product",
      .op = &ops::kLinear,
      .args = {conformance::Rows({Symbol::kT, inner}), conformance::Weight(type, outputs, inner)},
      .sequences = std::vector<conformance::SequencePart>(tokens, {0, 1})};
}

}  // namespace infer::cuda
