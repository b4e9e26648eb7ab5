// SPDX-License-Identifier: Apache-2.0
#include "tools/api/drafting.h"

#include <algorithm>

#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/program/varying_node.h"
#include "tools/api/estimated_call.h"

namespace infer {
namespace {

// At half the context; 0 if it cannot be estimated.
double CallNs(const Program& program, int64_t sequences, int64_t tokens) {
  const int64_t entries = program.symbols[Symbol::kS].max / program.sequences * sequences / 2;
  return EstimatedCallNs(program, {.t = tokens,
                                   .r = std::min(tokens, program.symbols[Symbol::kR].max),
                                   .s = std::max(entries, tokens),
                                   .sequences = sequences});
}

}  // namespace

std::array<double, kMaxDraft + 1> DraftCosts(const Program& program, int64_t sequences,
                                             const Program* drafting) {
  std::array<double, kMaxDraft + 1> costs;
  costs.fill(1);
  if (CallNs(program, sequences, sequences) <= 0) return costs;
  const double guess_ns = drafting == nullptr ? 0 : CallNs(*drafting, 1, 1);
  for (int64_t k = 0; k <= kMaxDraft; ++k) {
    // A call that is too large for the Program is never made.
    const double ns = CallNs(program, sequences, sequences * (1 + k));
    const double before = k == 0 ? 0 : costs[static_cast<size_t>(k - 1)];
    costs[static_cast<size_t>(k)] =
        ns > 0 ? ns + static_cast<double>(sequences * k) * guess_ns : before * 2;
  }
  return costs;
}

std::string DraftWarning(const Program& program) {
  const Node* node = FindVaryingNode(program, 1 + kMaxDraft);
  if (node == nullptr) return "";
  return StrCat("drafts may change the text where two tokens are about as likely: the bits of ",
                NodeName(*node),
                " depend on the tokens of a call; an invariant program avoids that");
}

}  // namespace infer
