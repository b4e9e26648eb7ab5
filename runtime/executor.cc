// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor.h"

#include <cstring>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "runtime/step_recorder.h"

namespace infer {
namespace {

// Returns the index of the regime; -1 if there is none.
int FindRegime(std::span<const ExecutableRegime> regimes, int64_t tokens) {
  for (size_t i = 0; i < regimes.size(); ++i) {
    const Regime& regime = *regimes[i].regime;
    if (regime.min_tokens <= tokens && tokens <= regime.max_tokens) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

absl::Status Executor::CheckSymbols(const SymbolValues& symbols) const {
  const SymbolRanges& ranges = executable_->program().symbols;
  for (Symbol symbol : kAllSymbols) {
    if (symbol == Symbol::kS && !executable_->depends_on_context()) continue;
    if (ranges[symbol].Contains(symbols[symbol])) continue;
    return absl::InvalidArgumentError(StrCat(
        "a call with ", Name(symbol), " = ", symbols[symbol], " is outside the program's ",
        ranges[symbol].min, " to ", ranges[symbol].max, "; compile it again for a larger range"));
  }
  return absl::OkStatus();
}

absl::Status Executor::BindInputs(std::span<const std::span<const std::byte>> inputs) const {
  for (size_t i = 0; i < regime_->inputs.size(); ++i) {
    if (regime_->inputs[i] < 0) continue;
    const TensorView& tensor = state_->operands[regime_->inputs[i]].tensor;
    const uint64_t bytes = tensor.elements() * Info(tensor.dtype).block_bytes;
    if (inputs.size() <= i || inputs[i].size() != bytes) {
      return absl::InvalidArgumentError(StrCat("input ", i, " of the graph has ", bytes,
                                               " bytes, but got ",
                                               i < inputs.size() ? inputs[i].size() : 0));
    }
    std::memcpy(tensor.data, inputs[i].data(), bytes);
  }
  for (const ExecutableRegime::IndexCheck& check : regime_->index_checks) {
    const TensorView& view = state_->operands[regime_->inputs[check.input]].tensor;
    for (int64_t i = 0; i < view.elements(); ++i) {
      if (view.i32()[i] < 0 || view.i32()[i] >= check.rows) {
        return absl::InvalidArgumentError(StrCat("token ", i, " of the call has id ", view.i32()[i],
                                                 ", outside the vocabulary of ", check.rows));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Executor::Begin(const SymbolValues& symbols,
                             std::span<const std::span<const std::byte>> inputs, const Batch& batch,
                             const RunContext& context) {
  left_out_ = nullptr;
  RETURN_IF_ERROR(CheckSymbols(symbols));
  const int number = FindRegime(executable_->regimes(), symbols.t);
  if (number < 0) return absl::InternalError(StrCat("no regime for T = ", symbols.t));
  regime_ = &executable_->regimes()[number];
  state_ = &context_->regimes()[number];
  // The regime's memory is planned for at most this many rows of logits.
  const int64_t most_rows = regime_->regime->graph.symbols()[Symbol::kR].max;
  if (symbols.r > most_rows) {
    return absl::InvalidArgumentError(StrCat("a call of ", symbols.t, " tokens asks for ",
                                             symbols.r, " rows of logits, more than ", most_rows));
  }
  running_ = context;
  if (context.recorder != nullptr) running_.events = context.recorder->Begin(number);
  context_->SetSymbols(*state_, symbols);
  context_->batch() = batch;
  RETURN_IF_ERROR(BindInputs(inputs));
  if (state_->poisoner != nullptr) {
    state_->poisoner->Begin(symbols, context.observer);
    running_.observer = state_->poisoner.get();
  }
  absl::Status status;
  for (DeviceContext* device : context_->devices()) {
    if (status.ok()) status = device->Begin(context_->batch());
  }
  if (!status.ok()) WaitForAll();
  return status;
}

// What was submitted still reads and writes the memory of the call.
void Executor::WaitForAll() const {
  for (DeviceContext* device : context_->devices()) device->Wait().IgnoreError();
}

absl::Status Executor::Run(const SymbolValues& symbols,
                           std::span<const std::span<const std::byte>> inputs, const Batch& batch,
                           const RunContext& context, LastCopies last_copies) {
  RETURN_IF_ERROR(Begin(symbols, inputs, batch, context));
  const std::vector<ExecutableRegime::BoundSegment>& segments = regime_->segments;
  if (last_copies == LastCopies::kLater && !segments.empty() && segments.back().only_copies &&
      context.observer == nullptr && context.recorder == nullptr) {
    left_out_ = &segments.back();
  }
  const absl::Status status = RunSegments();
  if (!status.ok()) {
    left_out_ = nullptr;
    WaitForAll();
    return status;
  }
  RETURN_IF_ERROR(executable_->weights().source().Check());
  if (running_.recorder != nullptr) running_.recorder->End(symbols);
  return absl::OkStatus();
}

absl::Status Executor::RunSegments() const {
  for (const ExecutableRegime::BoundSegment& bound : regime_->segments) {
    if (&bound != left_out_) RETURN_IF_ERROR(RunSegment(bound));
  }
  return Wait(regime_->waits);
}

absl::Status Executor::RunSegment(const ExecutableRegime::BoundSegment& bound) const {
  RETURN_IF_ERROR(Wait(bound.waits));
  // Others must not continue with what was computed from a file that can no longer be read.
  if (bound.sends) RETURN_IF_ERROR(executable_->weights().source().Check());
  const SegmentCall call{state_->args, context_->device(bound.device)};
  RETURN_IF_ERROR(bound.segment->Run(running_, call));
  if (running_.observer == nullptr || call.device == nullptr) return absl::OkStatus();
  return call.device->Wait();
}

std::span<const std::byte> Executor::result_row(int i, int64_t row) const {
  const TensorView& view = result(i);
  const int64_t bytes = view.columns() * Info(view.dtype).block_bytes;
  return {view.data + row * bytes, static_cast<size_t>(bytes)};
}

absl::Status Executor::MakeCopiesLeft() {
  if (left_out_ == nullptr) return absl::OkStatus();
  running_ = {};
  RETURN_IF_ERROR(RunSegment(*left_out_));
  RETURN_IF_ERROR(Wait(std::span(&left_out_->device, 1)));
  left_out_ = nullptr;
  return absl::OkStatus();
}

absl::Status Executor::Wait(std::span<const Device> queues) const {
  for (Device queue : queues) RETURN_IF_ERROR(context_->device(queue)->Wait());
  return absl::OkStatus();
}

}  // namespace infer
