// SPDX-License-Identifier: Apache-2.0
//
// Why a node runs where it runs, in each regime, and how to move it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/program/kernel_catalog.h"
#include "ir/program/program.h"
#include "tools/api/report/layer_groups.h"
#include "tools/api/report/placement_text.h"

namespace infer {

// A target that was not taken.
struct OtherTarget {
  Target target = Target::kScalar;
  Rejected::Code code = Rejected::Code::kNotInRule;
  std::string why;
  std::vector<std::string> kernels;  // that would run the node there, or its parts
  bool in_parts = false;             // a move would take the node apart
  std::string no_kernel;             // why none would, where the policy alone was asked
  std::string flag;    // --place ... that moves the node there; empty: it cannot run there
  std::string before;  // the flag that it must come before; see MustComeBefore
  bool operator==(const OtherTarget&) const = default;
};

// Neighbouring regimes in which a node was decided alike.
struct ExplainedSpan {
  Range tokens;
  const NodeView* first = nullptr;  // in the first regime of the span
  const NodeView* last = nullptr;
  std::vector<Term> terms;  // with the numbers of the whole span
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
  const FoldGroup* group = nullptr;
  std::vector<ExplainedSpan> spans;  // ascending
};

// Its parts point at each other: it can be moved, not copied.
struct Explanation {
  Explanation() = default;
  Explanation(Explanation&&) = default;
  Explanation& operator=(Explanation&&) = default;

  const Program* program = nullptr;
  std::vector<RegimeView> regimes;
  FoldedProgram folded;
  std::vector<ExplainedNode> nodes;  // in program order
};

// `what` is "all", or chooses nodes by id, name, scope, origin or op; scopes may be patterns, and
// one without a layer means all layers. A usage error with the nearest name if nothing has it. The
// Program must outlive the explanation; `catalog` says where a node could run.
absl::StatusOr<Explanation> Explain(const Program& program, const KernelCatalog& catalog,
                                    std::string_view what);

std::string ToText(const Explanation& explanation);
std::string ToJson(const Explanation& explanation);

}  // namespace infer
