// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/verify_offers.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/graph/op_def.h"
#include "ir/ops/op_list.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

absl::Status Error(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

// The registry has at most a dozen for an op and a target; the limit keeps the checks of nodes
// linear.
constexpr size_t kMaxKernelsOfOffer = 256;

// Ops that fusion makes have parts that are ops of the model, and these have primitives: three
// levels. Who reads offers follows their parts by recursion.
constexpr int32_t kMaxOfferDepth = 16;
// Parts with all of theirs, each as often as it is met. An op has about a dozen primitives.
constexpr int64_t kMaxOfferParts = 4096;

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

absl::Status VerifyKernelsOf(const Program& program, const Offer& offer) {
  if (offer.kernels.size() > kMaxKernelsOfOffer) {
    return Error(
        StrCat("has ", offer.kernels.size(), " kernels, expected at most ", kMaxKernelsOfOffer));
  }
  std::set<int32_t> seen;
  for (int32_t kernel : offer.kernels) {
    if (!IsPositionIn(kernel, program.kernels.size())) {
      return Error(StrCat("names kernel ", kernel, " of ", program.kernels.size()));
    }
    if (!seen.insert(kernel).second) return Error(StrCat("names kernel ", kernel, " twice"));
    if (program.kernels[kernel].op == program.kernels[offer.kernels[0]].op) continue;
    return Error(StrCat("has kernels for ", program.kernels[offer.kernels[0]].op, " and for ",
                        program.kernels[kernel].op));
  }
  return absl::OkStatus();
}

// The offers in their order: parts stand before what consists of them.
class OfferCheck {
 public:
  explicit OfferCheck(const Program& program) : program_(program) {}

  absl::Status Next() {
    const Offer& offer = program_.offers[sizes_.size()];
    if (!offer.rows.is_symbol() && (offer.rows.value() < 1 || offer.rows.value() > kMaxDim)) {
      return Error(StrCat("is for ", ToString(offer.rows), " rows"));
    }
    RETURN_IF_ERROR(VerifyKernelsOf(program_, offer));
    RETURN_IF_ERROR(VerifyParts(offer));
    if (!seen_.emplace(ToString(offer.rows), offer.kernels, offer.parts).second) {
      return Error("stands twice in the list");
    }
    return absl::OkStatus();
  }

 private:
  // Of an offer with all its parts.
  struct Size {
    int32_t depth = 1;
    int64_t parts = 0;
  };

  absl::Status VerifyParts(const Offer& offer) {
    Size size;
    int32_t last = -1;
    for (int32_t part : offer.parts) {
      if (!IsPositionIn(part, sizes_.size())) {
        return Error(StrCat("has the part ", part, "; parts must be offers before it"));
      }
      if (part <= last) {
        return Error(StrCat("has the part ", part, " after ", last,
                            "; parts must be in ascending order, each once"));
      }
      last = part;
      size.depth = std::max(size.depth, sizes_[part].depth + 1);
      size.parts += 1 + sizes_[part].parts;
      if (size.depth > kMaxOfferDepth || size.parts > kMaxOfferParts) {
        return Error(StrCat("has parts that nest ", size.depth, " deep and ", size.parts,
                            " in all, expected at most ", kMaxOfferDepth, " and ", kMaxOfferParts));
      }
    }
    sizes_.push_back(size);
    return absl::OkStatus();
  }

  const Program& program_;
  std::vector<Size> sizes_;
  std::set<std::tuple<std::string, std::vector<int32_t>, std::vector<int32_t>>> seen_;
};

absl::Status VerifyTable(const Program& program) {
  OfferCheck check(program);
  for (size_t i = 0; i < program.offers.size(); ++i) {
    if (absl::Status status = check.Next(); !status.ok()) {
      return Error(StrCat("offer ", i, " ", ToStd(status.message())));
    }
  }
  return absl::OkStatus();
}

// The kernel that runs a node must be one that was offered for it, and take all rows that the node
// can have in this regime.
absl::Status VerifyNode(const Program& program, const Node& node, const SymbolRanges& symbols,
                        int32_t at) {
  auto error = [&](std::string_view what) { return Error(StrCat(DescribeNode(node), ": ", what)); };
  if (!IsPositionIn(at, program.offers.size())) {
    return error(StrCat("has the offer ", at, " of ", program.offers.size()));
  }
  const Offer& offer = program.offers[at];
  const ValueType* type = RowsType(node);
  const Dim rows = type == nullptr ? Dim(1) : type->dim(0);
  if (offer.rows != rows) {
    return error(
        StrCat("has ", ToString(rows), " rows, its offer ", at, " is for ", ToString(offer.rows)));
  }
  const Placement& placement = *node.placement();
  for (int32_t i : offer.kernels) {
    const OfferedKernel& kernel = program.kernels[i];
    if (kernel.name != placement.kernel || kernel.target != placement.target ||
        kernel.op != node.op().name) {
      continue;
    }
    const int64_t least = rows.At(symbols.Lowest());
    const int64_t most = rows.At(symbols.Highest());
    if (kernel.min_rows <= least && most <= kernel.max_rows) return absl::OkStatus();
    return error(StrCat("has ", least, " to ", most, " rows, its kernel ", Quote(kernel.name),
                        " takes ", kernel.min_rows, " to ", kernel.max_rows));
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
    RETURN_IF_ERROR(VerifyNode(program, *node, regime.graph.symbols(), regime.offers[next++]));
  }
  size_t placed = std::ranges::count_if(
      regime.graph.nodes(), [](const Node* node) { return node->placement().has_value(); });
  if (placed == regime.offers.size()) return absl::OkStatus();
  return Error(StrCat("has ", regime.offers.size(), " offers for ", placed, " placed nodes"));
}

}  // namespace

absl::Status VerifyOffers(const Program& program) {
  RETURN_IF_ERROR(VerifyKernels(program));
  RETURN_IF_ERROR(VerifyTable(program));
  for (const Regime& regime : program.regimes) {
    if (absl::Status status = VerifyRegime(program, regime); !status.ok()) {
      return Error(StrCat("the regime of ", regime.min_tokens, "..", regime.max_tokens,
                          " tokens: ", ToStd(status.message())));
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
