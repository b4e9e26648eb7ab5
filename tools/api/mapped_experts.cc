// SPDX-License-Identifier: Apache-2.0
#include "tools/api/mapped_experts.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "tools/api/machine_memory.h"

namespace infer {
namespace {

// What a process needs beside weights and cache: activations, code, the tokenizer.
constexpr double kUsableShare = 0.9;

bool ReadsPackedExperts(const Node& node, const KernelFacts& kernel) {
  if (node.op().traits.expert_input < 0) return false;
  return std::ranges::any_of(kernel.record.weight_layouts, [](const std::string& layout) {
    return !layout.empty() && layout != "gguf";
  });
}

double Gigabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e9; }

}  // namespace

KernelAnswer MappedExpertsCatalog::Find(const Node& node, Target target,
                                        const SymbolRanges& symbols) const {
  if (node.op().traits.expert_input < 0) return whole_.Find(node, target, symbols);
  std::vector<KernelFacts> kernels = FindAll(node, target, symbols);
  if (!kernels.empty()) return {std::move(kernels.front()), ""};
  KernelAnswer answer = whole_.Find(node, target, symbols);
  if (!answer.kernel) return answer;
  return {std::nullopt,
          StrCat(answer.kernel->name, " reads packed weights; the experts stay in the file")};
}

std::vector<KernelFacts> MappedExpertsCatalog::FindAll(const Node& node, Target target,
                                                       const SymbolRanges& symbols) const {
  std::vector<KernelFacts> kernels = whole_.FindAll(node, target, symbols);
  std::erase_if(kernels,
                [&](const KernelFacts& kernel) { return ReadsPackedExperts(node, kernel); });
  return kernels;
}

std::string WhyExpertsStayMapped(const Graph& graph, uint64_t bytes_to_hold) {
  const bool has_experts = std::ranges::any_of(
      graph.nodes(), [](const Node* node) { return node->op().traits.expert_input >= 0; });
  if (!has_experts) return {};
  const MachineMemory memory = ReadMachineMemory();
  std::optional<uint64_t> most = memory.total_bytes;
  const bool limited = memory.limit_bytes && (!most || *memory.limit_bytes < *most);
  if (limited) most = memory.limit_bytes;
  if (!most || static_cast<double>(bytes_to_hold) <= kUsableShare * static_cast<double>(*most)) {
    return {};
  }
  return absl::StrFormat("weights and cache of %.1f GB do not fit into %.1f GB of memory%s",
                         Gigabytes(bytes_to_hold), Gigabytes(*most),
                         limited ? ", the limit of the control group" : "");
}

}  // namespace infer
