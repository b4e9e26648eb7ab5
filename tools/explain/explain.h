// SPDX-License-Identifier: Apache-2.0
//
// Explains why a node runs where it does, in each regime, and how to move it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/program/kernel_catalog.h"
#include "ir/program/program.h"
#include "tools/report/layer_groups.h"
#include "tools/report/placement_text.h"

namespace infer {

// A target that was not chosen.
struct OtherTarget {
  Target target = Target::kScalar;
  Rejected::Code code = Rejected::Code::kNotInRule;
  std::string why;
  std::vector<std::string> kernels;  // kernels that would run the node or its parts there
  bool in_parts = false;             // a move would decompose the node
  std::string no_kernel;             // why there is no kernel, if the policy alone decided
  std::string flag;    // --place ... that moves the node there; empty if it cannot run there
  std::string before;  // the flag that it must precede; see MustComeBefore
  bool operator==(const OtherTarget&) const = default;
};

// Neighbouring regimes in which a node was decided alike.
struct ExplainedSpan {
  Range tokens;
  const NodeView* first = nullptr;  // in the first regime of the span
  const NodeView* last = nullptr;
  std::vector<Term> terms;  // with the values of the whole span
  std::string decided_by;
  std::string because;
  std::vector<PassedOver> passed_over;
  std::vector<OtherTarget> others;
  double flops_min = 0, flops_max = 0;  // at both ends
  double bytes_min = 0, bytes_max = 0;
  double estimate_ns_min = 0, estimate_ns_max = 0;
};

// A node, or the same node of several layers.
struct ExplainedNode {
  const NodeGroup* group = nullptr;
  std::vector<ExplainedSpan> spans;  // ascending
};

// Its parts point to each other: movable, not copyable.
struct Explanation {
  Explanation() = default;
  Explanation(Explanation&&) = default;
  Explanation& operator=(Explanation&&) = default;

  const Program* program = nullptr;
  std::vector<RegimeView> regimes;
  GroupedProgram grouped;
  std::vector<ExplainedNode> nodes;  // in program order
};

// `what` is "all", or selects nodes by id, name, scope, origin or op; scopes may be patterns, and
// one without a layer means all layers. Returns a usage error with the nearest name if nothing
// matches. The Program must outlive the explanation; `catalog` says where a node could run.
absl::StatusOr<Explanation> Explain(const Program& program, const KernelCatalog& catalog,
                                    std::string_view what);

std::string ToText(const Explanation& explanation);
std::string ToJson(const Explanation& explanation);

}  // namespace infer
