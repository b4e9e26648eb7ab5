// SPDX-License-Identifier: Apache-2.0
#include "runtime/check_kernel.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/program/varying_node.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

absl::Status Unimplemented(const Node& node, std::string_view what) {
  return WithAdvice(absl::UnimplementedError(StrCat("node ", DescribeNode(node), ": kernel ",
                                                    node.placement()->kernel, " ", what,
                                                    "; compile the program again on this machine")),
                    {Advice::kCompile});
}

// Checks that this build's kernel divides its work as the Program's plan assumes, expects weights
// in the same layouts and does not need more memory than was planned.
absl::Status CompareRecord(const Node& node, const KernelRecord& here, uint64_t workspace,
                           uint64_t scratch) {
  const KernelRecord& recorded = node.placement()->kernel_record;
  if (here.partition != recorded.partition) {
    return Unimplemented(node, StrCat("divides its work by ", Name(here.partition.domain),
                                      " here, differently than by ",
                                      Name(recorded.partition.domain), " as planned"));
  }
  if (here.weight_layouts != recorded.weight_layouts) {
    return Unimplemented(
        node, StrCat("expects weights in the layouts \"", absl::StrJoin(here.weight_layouts, ","),
                     "\" here, not in \"", absl::StrJoin(recorded.weight_layouts, ","), "\""));
  }
  workspace = std::min(workspace, recorded.workspace_bytes);
  scratch = std::min(scratch, recorded.scratch_bytes);
  if (here.workspace_bytes <= workspace && here.scratch_bytes <= scratch) return absl::OkStatus();
  return Unimplemented(
      node, StrCat("needs ", here.workspace_bytes, " bytes of workspace and ", here.scratch_bytes,
                   " per thread; ", workspace, " and ", scratch, " were planned"));
}

// Classes belong to this machine's kernels: a Program from another one may find others here.
absl::Status CheckClasses(const Program& program, const KernelRegistry& registry) {
  const NumericsOf here = [&registry](const Node& node, const SymbolRanges& symbols) {
    const KernelInfo* info = registry.kernel(node.placement()->kernel);
    return info == nullptr ? std::string() : RecordOf(*info, node, symbols).numerics;
  };
  const Node* node = FindVaryingNode(program, program.symbols[Symbol::kT].max, here);
  if (node == nullptr) return absl::OkStatus();
  return Unimplemented(*node,
                       "does not give a row the same bits for every number of tokens on this "
                       "machine, as the program's policy demands; compile it again here");
}

}  // namespace

absl::Status CheckKernel(const Node& node, const Step& step, const KernelRegistry& registry,
                         const SymbolRanges& symbols, uint64_t planned_scratch) {
  const Placement& placement = *node.placement();
  if (placement.kernel == kViewKernel) {
    if (node.op().traits.view) return absl::OkStatus();
    return Unimplemented(node, "is only for views, but the op is not a view");
  }
  const KernelInfo* info = registry.kernel(placement.kernel);
  if (info == nullptr) return Unimplemented(node, "is not in this build");
  if (info->op != &node.op() || info->target != placement.target) {
    return Unimplemented(
        node, StrCat("implements ", info->op->name, " on ", Name(info->target),
                     ", but the node is a ", node.op().name, " on ", Name(placement.target)));
  }
  if (std::string why = registry.WhyNot(*info); !why.empty()) {
    return absl::UnavailableError(StrCat("node ", DescribeNode(node), ": ", why));
  }
  if (Decision takes = Takes(*info, node, symbols); !takes.accepted()) {
    return Unimplemented(node, StrCat("does not accept the node: ", takes.reason()));
  }
  return CompareRecord(node, RecordOf(*info, node, symbols), step.workspace_bytes, planned_scratch);
}

absl::Status CheckKernels(const Program& program, const KernelRegistry& registry) {
  for (const Regime& regime : program.regimes) {
    const std::vector<Node*> nodes = regime.graph.nodes();
    const Plan& plan = *regime.graph.plan();
    for (const Segment& segment : plan.segments) {
      uint64_t scratch = 0;
      for (const Arena& arena : plan.arenas) {
        if (arena.space == segment.space()) scratch = arena.bytes_per_thread;
      }
      for (const Step& step : segment.steps) {
        if (step.node < 0) continue;
        RETURN_IF_ERROR(
            CheckKernel(*nodes[step.node], step, registry, regime.graph.symbols(), scratch));
      }
    }
  }
  if (program.policy.invariant) return CheckClasses(program, registry);
  return absl::OkStatus();
}

bool DependsOnContext(const Graph& graph, const KernelRegistry& registry) {
  SymbolRanges longer = graph.symbols();
  longer[Symbol::kS].max += 1024;  // enough to change any rounded workspace size
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
