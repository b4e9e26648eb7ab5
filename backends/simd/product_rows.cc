// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/product_rows.h"

#include "backends/simd/levels/choose_level.h"
#include "ir/base/strings.h"

namespace infer::simd {
namespace {

Decision AcceptsKind(LinearKind kind) {
  if (ChosenLevel().level == nullptr) return Decision::Reject(ChosenLevel().reason);
  const Level& level = *ChosenLevel().level;
  if (kind == LinearKind::kTiles && level.linear_tiles == nullptr) {
    return Decision::Reject(StrCat("level ", level.name, " has no tiles"));
  }
  if (kind == LinearKind::kInvariant && level.linear_invariant == nullptr) {
    return Decision::Reject(StrCat("the other products of level ", level.name,
                                   " do not depend on the number of rows either"));
  }
  return Decision::Accept();
}

bool TakesRounded(const LinearKernel& kernel, const TensorType& x) {
  const Dim inner = x.dim(x.rank() - 1);
  return kernel.bf16_elements > 0 && !inner.is_symbol() &&
         inner.value() % kernel.bf16_elements == 0;
}

}  // namespace

Decision AcceptsProducts(const Node& node, int weights, LinearKind kind) {
  Decision decision = AcceptsKind(kind);
  if (!decision.accepted()) return decision;
  const TensorType& x = node.input(0).type().tensor;
  const std::string_view level = ChosenLevel().level->name;
  bool any_tiles = false;
  for (int i = 1; i <= weights; ++i) {
    const DType dtype = node.input(i).type().tensor.dtype;
    any_tiles |= HasTiles(dtype);
    const LinearKernel* kernel = KernelFor(dtype, kind);
    if (kernel == nullptr) {
      return Decision::Reject(
          StrCat("level ", level, " has no product for ", Name(dtype), " weights"));
    }
    if (x.dtype == DType::kBF16 && !TakesRounded(*kernel, x)) {
      return Decision::Reject(StrCat("level ", level, " has no product of ", Name(x.dtype),
                                     " rows of ", ToString(x.dim(x.rank() - 1)), " with ",
                                     Name(dtype), " weights"));
    }
  }
  if (kind == LinearKind::kTiles && !any_tiles) {
    return Decision::Reject(StrCat("level ", level, " has no tiles for the weights' types"));
  }
  return Decision::Accept();
}

Decision AcceptsProductOf(const Node& node, DType type, LinearKind kind) {
  const DType found = node.input(1).type().tensor.dtype;
  if (found == type) return AcceptsProducts(node, 1, kind);
  return Decision::Reject(StrCat("weight is ", Name(found), "; this kernel reads ", Name(type)));
}

std::string NumericsOfProducts(const Node& node, int weights, LinearKind kind, Range rows) {
  std::string numerics(ChosenLevel().level->name);
  std::string_view last;
  for (int i = 1; i <= weights; ++i) {
    const LinearKernel* kernel = KernelFor(node.input(i).type().tensor.dtype, kind);
    if (kernel->numerics == nullptr) return {};
    const std::string_view one = kernel->numerics(rows.min, rows.max);
    if (one.empty()) return {};
    if (one != last) StrAppend(&numerics, last.empty() ? " " : "+", one);
    last = one;
  }
  return numerics;
}

}  // namespace infer::simd
