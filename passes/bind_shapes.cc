// SPDX-License-Identifier: Apache-2.0
//
// Gives the symbols the ranges that the graph is compiled for:
//
//   graph @g stage(imported) (%x: f32[T,8])
//     =>  graph @g stage(bound) symbols(T = 1..512, ...) (%x: f32[T,8])
//
// Shapes keep their symbols: one graph serves every call in the ranges.
#include "ir/base/strings.h"
#include "passes/passes.h"

namespace infer {
namespace {

class BindShapes final : public Pass {
 public:
  std::string_view name() const override { return "bind-shapes"; }
  Stage needs() const override { return Stage::kImported; }
  Stage gives() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    for (Symbol symbol : kAllSymbols) {
      const Range& range = context.symbols[symbol];
      if (range.min < 1 || range.max < range.min) {
        return absl::InvalidArgumentError(StrCat("the range of ", Name(symbol), " is ", range.min,
                                                 " to ", range.max, ", expected 1 <= min <= max"));
      }
    }
    if (context.symbols[Symbol::kR].max > context.symbols[Symbol::kT].max) {
      return absl::InvalidArgumentError(
          StrCat("R is up to ", context.symbols[Symbol::kR].max, " but T only up to ",
                 context.symbols[Symbol::kT].max,
                 ": a call cannot want more rows of logits than it has tokens"));
    }
    bool changed = graph.symbols() != context.symbols;
    graph.set_symbols(context.symbols);
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeBindShapes() { return std::make_unique<BindShapes>(); }

}  // namespace infer
