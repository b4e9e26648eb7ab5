// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/verify_kernel_choices.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/graph/op_def.h"
#include "ir/graph/placement.h"
#include "ir/ops/op_list.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

absl::Status ChoiceError(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

// The registry has at most a dozen for an op and a target; the limit keeps the checks of nodes
// linear.
constexpr size_t kMaxKernelsOfChoice = 256;

// Fused ops have parts that are ops of the model, and these have primitives: three levels. Code
// that reads kernel choices follows their parts recursively.
constexpr int32_t kMaxChoiceDepth = 16;
// Limit for all nested parts, counted each time they occur. An op has about a dozen primitives.
constexpr int64_t kMaxChoiceParts = 4096;

bool IsPositionIn(int32_t at, size_t size) { return at >= 0 && static_cast<size_t>(at) < size; }

absl::Status VerifyKernels(const Program& program) {
  std::set<std::tuple<std::string_view, std::string_view, Target>> seen;
  for (const KernelCandidate& kernel : program.kernels) {
    auto error = [&](std::string_view what) {
      return ChoiceError(StrCat("the kernel candidate ", Quote(kernel.name), " ", what));
    };
    if (kernel.name.empty()) return error("has no name");
    if (FindOp(kernel.op) == nullptr)
      return error(StrCat("runs the unknown op ", Quote(kernel.op)));
    if (!seen.emplace(kernel.name, kernel.op, kernel.target).second) {
      return error(StrCat("is listed twice, for ", kernel.op, " on ", Name(kernel.target)));
    }
    if (kernel.min_rows < 1 || kernel.max_rows < kernel.min_rows) {
      return error(StrCat("takes ", kernel.min_rows, " to ", kernel.max_rows,
                          " rows, expected 1 <= min <= max"));
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyKernelsOf(const Program& program, const KernelChoice& choice) {
  if (choice.kernels.size() > kMaxKernelsOfChoice) {
    return ChoiceError(
        StrCat("has ", choice.kernels.size(), " kernels, expected at most ", kMaxKernelsOfChoice));
  }
  std::set<int32_t> seen;
  for (int32_t kernel : choice.kernels) {
    if (!IsPositionIn(kernel, program.kernels.size())) {
      return ChoiceError(
          StrCat("names kernel ", kernel, "; the number of kernels is ", program.kernels.size()));
    }
    if (!seen.insert(kernel).second) return ChoiceError(StrCat("names kernel ", kernel, " twice"));
    if (program.kernels[kernel].op == program.kernels[choice.kernels[0]].op) continue;
    return ChoiceError(StrCat("has kernels for ", program.kernels[choice.kernels[0]].op,
                              " and for ", program.kernels[kernel].op));
  }
  return absl::OkStatus();
}

// Checks the kernel choices in order: parts come before the choices that consist of them.
class KernelChoiceCheck {
 public:
  explicit KernelChoiceCheck(const Program& program) : program_(program) {}

  absl::Status Next() {
    const KernelChoice& choice = program_.kernel_choices[sizes_.size()];
    if (!choice.rows.is_symbol() && (choice.rows.value() < 1 || choice.rows.value() > kMaxDim)) {
      return ChoiceError(StrCat("is for ", ToString(choice.rows), " rows"));
    }
    RETURN_IF_ERROR(VerifyKernelsOf(program_, choice));
    RETURN_IF_ERROR(VerifyParts(choice));
    if (!seen_.emplace(ToString(choice.rows), choice.kernels, choice.parts).second) {
      return ChoiceError("is listed twice");
    }
    return absl::OkStatus();
  }

 private:
  // The size of a kernel choice with all its parts.
  struct Size {
    int32_t depth = 1;
    int64_t parts = 0;
  };

  absl::Status VerifyParts(const KernelChoice& choice) {
    Size size;
    int32_t last = -1;
    for (int32_t part : choice.parts) {
      if (!IsPositionIn(part, sizes_.size())) {
        return ChoiceError(StrCat("has the part ", part, "; parts must be earlier kernel choices"));
      }
      if (part <= last) {
        return ChoiceError(StrCat("has the part ", part, " after ", last,
                                  "; parts must be in ascending order, each once"));
      }
      last = part;
      size.depth = std::max(size.depth, sizes_[part].depth + 1);
      size.parts += 1 + sizes_[part].parts;
      if (size.depth > kMaxChoiceDepth || size.parts > kMaxChoiceParts) {
        return ChoiceError(StrCat("has parts that nest ", size.depth, " deep and ", size.parts,
                                  " in all, expected at most ", kMaxChoiceDepth, " and ",
                                  kMaxChoiceParts));
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
  KernelChoiceCheck check(program);
  for (size_t i = 0; i < program.kernel_choices.size(); ++i) {
    if (absl::Status status = check.Next(); !status.ok()) {
      return ChoiceError(StrCat("kernel choice ", i, " ", ToStd(status.message())));
    }
  }
  return absl::OkStatus();
}

// The kernel that runs a node must be listed in its kernel choice and accept all numbers of rows
// that the node can have in this regime.
absl::Status VerifyNode(const Program& program, const Node& node, const SymbolRanges& symbols,
                        int32_t at) {
  auto error = [&](std::string_view what) {
    return ChoiceError(StrCat(DescribeNode(node), ": ", what));
  };
  if (!IsPositionIn(at, program.kernel_choices.size())) {
    return error(StrCat("has the kernel choice ", at, "; the number of kernel choices is ",
                        program.kernel_choices.size()));
  }
  const KernelChoice& choice = program.kernel_choices[at];
  const ValueType* type = RowsType(node);
  const Dim rows = type == nullptr ? Dim(1) : type->dim(0);
  if (choice.rows != rows) {
    return error(StrCat("has ", ToString(rows), " rows, its kernel choice ", at, " is for ",
                        ToString(choice.rows)));
  }
  const Placement& placement = *node.placement();
  for (int32_t i : choice.kernels) {
    const KernelCandidate& kernel = program.kernels[i];
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
                      ", which its kernel choice ", at, " does not list"));
}

absl::Status VerifyRegime(const Program& program, const Regime& regime) {
  if (program.kernel_choices.empty() && regime.kernel_choices.empty()) return absl::OkStatus();
  size_t next = 0;
  for (const Node* node : regime.graph.nodes()) {
    if (!node->placement()) continue;
    if (next == regime.kernel_choices.size()) break;
    RETURN_IF_ERROR(
        VerifyNode(program, *node, regime.graph.symbols(), regime.kernel_choices[next++]));
  }
  size_t placed = std::ranges::count_if(
      regime.graph.nodes(), [](const Node* node) { return node->placement() != nullptr; });
  if (placed == regime.kernel_choices.size()) return absl::OkStatus();
  return ChoiceError(StrCat("has ", regime.kernel_choices.size(), " kernel choices for ", placed,
                            " placed nodes"));
}

}  // namespace

absl::Status VerifyKernelChoices(const Program& program) {
  RETURN_IF_ERROR(VerifyKernels(program));
  RETURN_IF_ERROR(VerifyTable(program));
  for (const Regime& regime : program.regimes) {
    if (absl::Status status = VerifyRegime(program, regime); !status.ok()) {
      return ChoiceError(StrCat("the regime of ", regime.min_tokens, "..", regime.max_tokens,
                                " tokens: ", ToStd(status.message())));
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
