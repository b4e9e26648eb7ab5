// SPDX-License-Identifier: Apache-2.0
#include "tools/api/mapped_experts.h"

#include <algorithm>

#include "ir/base/strings.h"
#include "tools/report/text_table.h"

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

std::string WhyExpertsStayMapped(const Graph& graph, uint64_t bytes_to_hold,
                                 const MachineMemory& memory) {
  const bool has_experts = std::ranges::any_of(
      graph.nodes(), [](const Node* node) { return node->op().traits.expert_input >= 0; });
  if (!has_experts) return {};
  std::optional<uint64_t> most = memory.total_bytes;
  const bool limited = memory.limit_bytes && (!most || *memory.limit_bytes < *most);
  if (limited) most = memory.limit_bytes;
  if (!most || static_cast<double>(bytes_to_hold) <= kUsableShare * static_cast<double>(*most)) {
    return {};
  }
  return StrCat("weights and cache of ", HumanBytes(bytes_to_hold), " do not fit into ",
                HumanBytes(*most), " of memory", limited ? ", the limit of the control group" : "");
}

}  // namespace infer
