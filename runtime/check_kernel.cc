// SPDX-License-Identifier: Apache-2.0
#include "runtime/check_kernel.h"

#include <string>
#include <string_view>

#include "ir/base/advice.h"
#include "ir/base/strings.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

absl::Status Unimplemented(const Node& node, std::string_view what) {
  return WithAdvice(absl::UnimplementedError(StrCat("node ", DescribeNode(node), ": kernel ",
                                                    node.placement()->kernel, " ", what,
                                                    "; compile the program again on this machine")),
                    {Advice::kCompile});
}

}  // namespace

absl::Status CheckKernel(const Node& node, const Step& step, const KernelRegistry& registry,
                         const SymbolRanges& symbols, uint64_t planned_scratch) {
  const Placement& placement = *node.placement();
  if (placement.kernel == kViewKernel) {
    if (node.op().traits.view) return absl::OkStatus();
    return Unimplemented(node, "computes nothing, but the op is no view");
  }
  const KernelInfo* info = registry.kernel(placement.kernel);
  if (info == nullptr) return Unimplemented(node, "is not in this build");
  if (info->op != &node.op() || info->target != placement.target) {
    return Unimplemented(node, StrCat("runs ", info->op->name, " on ", Name(info->target),
                                      ", wanted on ", Name(placement.target)));
  }
  if (std::string why = registry.WhyNot(*info); !why.empty()) {
    return absl::UnavailableError(StrCat("node ", DescribeNode(node), ": ", why));
  }
  if (Decision takes = Takes(*info, node, symbols); !takes.accepted()) {
    return Unimplemented(node, StrCat("refuses it: ", takes.reason()));
  }
  uint64_t workspace = info->workspace_bytes ? info->workspace_bytes(node, symbols) : 0;
  uint64_t scratch = info->scratch_bytes ? info->scratch_bytes(node, symbols) : 0;
  if (workspace <= step.workspace_bytes && scratch <= planned_scratch) return absl::OkStatus();
  return Unimplemented(
      node, StrCat("wants ", workspace, " bytes of workspace and ", scratch, " for each thread; ",
                   step.workspace_bytes, " and ", planned_scratch, " were planned"));
}

bool DependsOnContext(const Graph& graph, const KernelRegistry& registry) {
  SymbolRanges longer = graph.symbols();
  longer[Symbol::kS].max += 1024;  // enough to show in any rounding of a workspace
  for (const Node* node : graph.nodes()) {
    for (int i = 0; i < node->num_results(); ++i) {
      if (node->result(i).type.tensor.shape.Uses(Symbol::kS)) return true;
    }
    if (!node->placement()) continue;
    const KernelInfo* info = registry.kernel(node->placement()->kernel);
    if (info == nullptr || info->op != &node->op()) continue;
    for (auto bytes : {info->workspace_bytes, info->scratch_bytes}) {
      if (bytes != nullptr && bytes(*node, longer) != bytes(*node, graph.symbols())) return true;
    }
  }
  return false;
}

}  // namespace infer
