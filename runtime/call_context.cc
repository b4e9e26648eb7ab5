// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_context.h"

#include <algorithm>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/program_devices.h"

namespace infer {
namespace {

// Bytes of K, or of V, of one layer: the V of a cache follows its K.
uint64_t LargestPart(std::span<const KvView> states) {
  uint64_t largest = 0;
  for (const KvView& state : states) {
    if (state.v > state.k) largest = std::max<uint64_t>(largest, state.v - state.k);
  }
  return largest;
}

}  // namespace

absl::StatusOr<std::unique_ptr<CallContext>> CallContext::Create(const Executable& executable,
                                                                 std::span<const KvView> states,
                                                                 std::span<const std::byte> cache) {
  if (states.size() != executable.program().states.size()) {
    return absl::InternalError(StrCat("the program has ", executable.program().states.size(),
                                      " states, given ", states.size()));
  }
  auto context = std::unique_ptr<CallContext>(new CallContext());
  const Backend* cpu = executable.registry().backend(Device::kCpu);
  const uint64_t threads = cpu == nullptr ? 1 : static_cast<uint64_t>(cpu->threads());
  ASSIGN_OR_RETURN(context->arena_, ZeroedMemory::Create(executable.arena_bytes()));
  ASSIGN_OR_RETURN(context->scratch_, ZeroedMemory::Create(executable.scratch_bytes() * threads));
  RETURN_IF_ERROR(context->MapMemory(executable, states, cache));
  context->regimes_.reserve(executable.regimes().size());
  for (const ExecutableRegime& regime : executable.regimes()) context->AddRegime(regime, states);
  return context;
}

void CallContext::AddRegime(const ExecutableRegime& regime, std::span<const KvView> states) {
  RegimeState& state = regimes_.emplace_back();
  state.operands.reserve(regime.operands.size());
  for (const OperandPlace& place : regime.operands) {
    Operand& operand = state.operands.emplace_back();
    operand.tensor = place.tensor;
    if (place.kind == OperandPlace::Kind::kArena) {
      operand.tensor.data = arena_.data() + place.offset;
    } else if (place.kind == OperandPlace::Kind::kState) {
      operand.kv = states[place.state];
    }
  }
  state.args.reserve(regime.steps.size());
  for (const ExecutableRegime::StepArgs& step : regime.steps) {
    const Operand* first = state.operands.data() + step.first_operand;
    state.args.push_back({.inputs = {first, step.num_inputs},
                          .outputs = {first + step.num_inputs, step.num_outputs},
                          .attrs = step.node->attrs(),
                          .batch = &batch_,
                          .workspace = arena_.data() + step.workspace_offset,
                          .scratch = scratch_.data(),
                          .bound = step.bound});
  }
  state.patches.reserve(regime.patches.size());
  for (const ExecutableRegime::Patch& patch : regime.patches) {
    state.patches.push_back({&state.operands[patch.operand].tensor.dims[patch.axis], patch.symbol});
  }
  state.poisoner = Poisoner::CreateIfDebugging(regime.regime->graph, arena_.data());
}

absl::Status CallContext::MapMemory(const Executable& executable, std::span<const KvView> states,
                                    std::span<const std::byte> cache) {
  const auto nodes_by_device = NodesByDevice(executable.program());
  if (nodes_by_device.empty()) return absl::OkStatus();
  const WeightSource& source = executable.weights().source();
  uint64_t largest_weight = 0;
  for (const WeightInfo& weight : source.weights()) {
    largest_weight = std::max(largest_weight, weight.bytes);
  }
  std::vector<MemorySpan> spans = {{MemorySpan::Use::kActivations, {arena_.data(), arena_.bytes()}},
                                   {MemorySpan::Use::kCache, cache, LargestPart(states)}};
  for (std::span<const std::byte> mapping : source.Mappings()) {
    spans.push_back({MemorySpan::Use::kWeights, mapping, largest_weight});
  }
  for (const auto& [device, nodes] : nodes_by_device) {
    const size_t index = static_cast<size_t>(device);
    device_memory_.resize(std::max(device_memory_.size(), index + 1));
    ASSIGN_OR_RETURN(device_memory_[index], executable.registry().backend(device)->Map(spans));
  }
  return absl::OkStatus();
}

}  // namespace infer
