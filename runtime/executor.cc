// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor.h"

#include <cstring>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/step_recorder.h"

namespace infer {
namespace {

ExecutableRegime* FindRegime(std::span<ExecutableRegime> regimes, int64_t tokens) {
  for (ExecutableRegime& regime : regimes) {
    if (regime.regime->min_tokens <= tokens && tokens <= regime.regime->max_tokens) return &regime;
  }
  return nullptr;
}

}  // namespace

absl::Status Executor::CheckSymbols(const SymbolValues& symbols) const {
  const SymbolRanges& ranges = executable_->program().symbols;
  for (Symbol symbol : kAllSymbols) {
    if (symbol == Symbol::kS && !executable_->depends_on_context()) continue;
    if (ranges[symbol].Contains(symbols[symbol])) continue;
    return absl::InvalidArgumentError(
        StrCat("a call with ", Name(symbol), " = ", symbols[symbol], " is outside the program's ",
               ranges[symbol].min, " to ", ranges[symbol].max, "; compile it again for more"));
  }
  return absl::OkStatus();
}

absl::Status Executor::BindInputs(std::span<const std::span<const std::byte>> inputs) const {
  for (size_t i = 0; i < regime_->inputs.size(); ++i) {
    const Operand* operand = regime_->inputs[i];
    if (operand == nullptr) continue;
    uint64_t bytes = operand->tensor.elements() * Info(operand->tensor.dtype).block_bytes;
    if (inputs.size() <= i || inputs[i].size() != bytes) {
      return absl::InvalidArgumentError(StrCat("input ", i, " of the graph takes ", bytes,
                                               " bytes, given ",
                                               i < inputs.size() ? inputs[i].size() : 0));
    }
    std::memcpy(operand->tensor.data, inputs[i].data(), bytes);
  }
  for (const ExecutableRegime::IndexCheck& check : regime_->index_checks) {
    const TensorView& view = regime_->inputs[check.input]->tensor;
    for (int64_t i = 0; i < view.elements(); ++i) {
      if (view.i32()[i] < 0 || view.i32()[i] >= check.rows) {
        return absl::InvalidArgumentError(StrCat("token ", i, " of the call has id ", view.i32()[i],
                                                 ", outside the vocabulary of ", check.rows));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Executor::Run(const SymbolValues& symbols,
                           std::span<const std::span<const std::byte>> inputs, const Batch& batch,
                           const RunContext& context) {
  RETURN_IF_ERROR(CheckSymbols(symbols));
  regime_ = FindRegime(executable_->regimes(), symbols.t);
  if (regime_ == nullptr) return absl::InternalError(StrCat("no regime for T = ", symbols.t));
  // The regime's memory is planned for as many rows of logits as it has tokens.
  if (symbols.r > regime_->regime->graph.symbols()[Symbol::kR].max) {
    return absl::InvalidArgumentError(StrCat("a call of ", symbols.t, " tokens wants logits of ",
                                             symbols.r, " rows, more than ",
                                             regime_->regime->graph.symbols()[Symbol::kR].max));
  }
  RunContext observed = context;
  if (context.recorder != nullptr) {
    observed.events =
        context.recorder->Begin(static_cast<int>(regime_ - executable_->regimes().data()));
  }
  for (const ExecutableRegime::Patch& patch : regime_->patches) *patch.dim = symbols[patch.symbol];
  executable_->batch() = batch;
  RETURN_IF_ERROR(BindInputs(inputs));
  if (regime_->poisoner != nullptr) {
    regime_->poisoner->Begin(symbols, context.observer);
    observed.observer = regime_->poisoner.get();
  }
  for (const auto& segment : regime_->segments) RETURN_IF_ERROR(segment->Run(observed));
  RETURN_IF_ERROR(executable_->weights().Check());
  if (context.recorder != nullptr) context.recorder->End(symbols);
  return absl::OkStatus();
}

}  // namespace infer
