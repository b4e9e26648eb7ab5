// SPDX-License-Identifier: Apache-2.0
#include "ir/verify_offers.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "ir/attr.h"
#include "ir/op_def.h"
#include "ir/status_macros.h"
#include "ir/strings.h"
#include "ir/verifier.h"

namespace infer {
namespace {

absl::Status Error(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

// The registry has at most a dozen for an op and a target; the limit keeps the checks of nodes
// linear.
constexpr size_t kMaxKernelsOfOffer = 256;

bool IsPositionIn(int32_t at, size_t size) { return at >= 0 && static_cast<size_t>(at) < size; }

absl::Status VerifyKernels(const Program& program) {
  std::set<std::tuple<std::string_view, std::string_view, Target>> seen;
  for (const OfferedKernel& kernel : program.kernels) {
    auto error = [&](std::string_view what) {
      return Error(StrCat("the offered kernel ", Quote(kernel.name), " ", what));
    };
    if (kernel.name.empty()) return error("has no name");
    if (FindOp(kernel.op) == nullptr)
      return error(StrCat("runs the unknown op ", Quote(kernel.op)));
    if (!seen.emplace(kernel.name, kernel.op, kernel.target).second) {
      return error(
          StrCat("stands twice in the list, for ", kernel.op, " on ", Name(kernel.target)));
    }
    if (kernel.min_rows < 1 || kernel.max_rows < kernel.min_rows) {
      return error(StrCat("takes ", kernel.min_rows, " to ", kernel.max_rows,
                          " rows, expected 1 <= min <= max"));
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyOffer(const Program& program, size_t at) {
  const Offer& offer = program.offers[at];
  auto error = [&](std::string_view what) { return Error(StrCat("offer ", at, " ", what)); };
  if (!offer.rows.is_symbol() && offer.rows.value() < 1) {
    return error(StrCat("is for ", ToString(offer.rows), " rows"));
  }
  if (offer.kernels.size() > kMaxKernelsOfOffer) {
    return error(
        StrCat("has ", offer.kernels.size(), " kernels, expected at most ", kMaxKernelsOfOffer));
  }
  for (int32_t kernel : offer.kernels) {
    if (!IsPositionIn(kernel, program.kernels.size())) {
      return error(StrCat("names kernel ", kernel, " of ", program.kernels.size()));
    }
    if (program.kernels[kernel].op == program.kernels[offer.kernels[0]].op) continue;
    return error(StrCat("has kernels for ", program.kernels[offer.kernels[0]].op, " and for ",
                        program.kernels[kernel].op));
  }
  for (int32_t part : offer.parts) {
    if (IsPositionIn(part, at)) continue;
    return error(StrCat("has the part ", part, "; parts must be offers before it"));
  }
  return absl::OkStatus();
}

// The kernel that runs a node must be one that was offered for it.
absl::Status VerifyNode(const Program& program, const Node& node, int32_t at) {
  auto error = [&](std::string_view what) { return Error(StrCat(DescribeNode(node), ": ", what)); };
  if (!IsPositionIn(at, program.offers.size())) {
    return error(StrCat("has the offer ", at, " of ", program.offers.size()));
  }
  const Placement& placement = *node.placement();
  for (int32_t i : program.offers[at].kernels) {
    const OfferedKernel& kernel = program.kernels[i];
    if (kernel.name == placement.kernel && kernel.target == placement.target &&
        kernel.op == node.op().name) {
      return absl::OkStatus();
    }
  }
  return error(StrCat("runs on kernel ", Quote(placement.kernel), " of ", Name(placement.target),
                      ", which its offer ", at, " does not list"));
}

absl::Status VerifyRegime(const Program& program, const Regime& regime) {
  if (program.offers.empty() && regime.offers.empty()) return absl::OkStatus();
  size_t next = 0;
  for (const Node* node : regime.graph.nodes()) {
    if (!node->placement()) continue;
    if (next == regime.offers.size()) break;
    RETURN_IF_ERROR(VerifyNode(program, *node, regime.offers[next++]));
  }
  size_t placed = std::ranges::count_if(
      regime.graph.nodes(), [](const Node* node) { return node->placement().has_value(); });
  if (placed == regime.offers.size()) return absl::OkStatus();
  return Error(StrCat("has ", regime.offers.size(), " offers for ", placed, " placed nodes"));
}

}  // namespace

absl::Status VerifyOffers(const Program& program) {
  RETURN_IF_ERROR(VerifyKernels(program));
  for (size_t i = 0; i < program.offers.size(); ++i) RETURN_IF_ERROR(VerifyOffer(program, i));
  for (const Regime& regime : program.regimes) {
    if (absl::Status status = VerifyRegime(program, regime); !status.ok()) {
      return Error(StrCat("the regime of ", regime.min_tokens, "..", regime.max_tokens,
                          " tokens: ", ToStd(status.message())));
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
