// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_context.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/common_memory.h"
#include "ir/graph/plan.h"
#include "runtime/shared_ranks.h"
#include "runtime/zeroed_memory.h"

namespace infer {
namespace {

// Bytes of K, or of V, of one layer; the V of a cache follows its K.
uint64_t LargestPart(std::span<const KvView> states) {
  uint64_t largest = 0;
  for (const KvView& state : states) {
    if (state.v > state.k) largest = std::max<uint64_t>(largest, state.v - state.k);
  }
  return largest;
}

// Ranks of one host get common memory for the results of collectives, unless these lie in other
// places: machines may differ, and with them the regimes. All ask, also one that has no
// collectives.
absl::StatusOr<std::unique_ptr<SpaceMemory>> AllocateCpu(const Executable& executable) {
  const CpuLayout& layout = executable.cpu_layout();
  auto* ranks = dynamic_cast<SharedRanks*>(executable.registry().collective());
  if (ranks != nullptr) {
    ASSIGN_OR_RETURN(const bool is_same, IsSameOnAll(layout.hash, *ranks));
    if (is_same && layout.common > 0) {
      ASSIGN_OR_RETURN(std::unique_ptr<SpaceMemory> memory,
                       ranks->Allocate(layout.common, layout.own));
      if (memory != nullptr) return memory;
    }
  }
  return executable.registry().memory(Device::kCpu)->Allocate(layout.common + layout.own);
}

}  // namespace

absl::StatusOr<std::unique_ptr<CallContext>> CallContext::Create(const Executable& executable,
                                                                 std::span<const KvView> states,
                                                                 std::span<const std::byte> cache) {
  if (states.size() != executable.program().states.size()) {
    return absl::InternalError(StrCat("the program has ", executable.program().states.size(),
                                      " states, but got ", states.size()));
  }
  auto context = std::unique_ptr<CallContext>(new CallContext());
  RETURN_IF_ERROR(context->Allocate(executable));
  RETURN_IF_ERROR(context->MakeDevices(executable, states, cache));
  context->regimes_.reserve(executable.regimes().size());
  const auto* ranks = dynamic_cast<const SharedRanks*>(executable.registry().collective());
  context->is_common_ =
      ranks != nullptr && ranks->IsCommon(context->arena(Device::kCpu).values->data());
  if (context->is_common_) {
    context->rank_ = ranks->rank();
    context->ranks_ = ranks->ranks();
  }
  for (const ExecutableRegime& regime : executable.regimes()) {
    context->AddRegime(regime, states);
    context->JoinParts(regime);
  }
  return context;
}

absl::Status CallContext::Allocate(const Executable& executable) {
  for (Device space : kAllDevices) {
    const Executable::ArenaBytes& bytes = executable.arena_bytes(space);
    const Backend* backend = executable.registry().backend(space);
    if (space != Device::kCpu && (backend == nullptr || bytes.values == 0)) continue;
    const uint64_t threads = backend == nullptr ? 1 : static_cast<uint64_t>(backend->threads());
    const std::shared_ptr<MemorySpace> memory = executable.registry().memory(space);
    SpaceArena& arena = arenas_[static_cast<size_t>(space)];
    ASSIGN_OR_RETURN(arena.values, space == Device::kCpu ? AllocateCpu(executable)
                                                         : memory->Allocate(bytes.values));
    ASSIGN_OR_RETURN(arena.scratch, memory->Allocate(bytes.scratch_of_thread * threads));
    // Tiles of a product are written to 16 rows, each on pages of its own: with pages of 4 KiB,
    // prompts of 512 tokens take 1.04 times as long at level amx (the mean of 8 runs in turn).
    if (space == Device::kCpu) {
      PreferHugePages(arena.values->data(), arena.values->bytes());
      PreferHugePages(arena.scratch->data(), arena.scratch->bytes());
    }
  }
  return absl::OkStatus();
}

uint64_t CallContext::bytes() const {
  uint64_t bytes = 0;
  for (const SpaceArena& arena : arenas_) {
    if (arena.values != nullptr) bytes += arena.values->bytes() + arena.scratch->bytes();
  }
  return bytes;
}

void CallContext::AddRegime(const ExecutableRegime& regime, std::span<const KvView> states) {
  RegimeState& state = regimes_.emplace_back();
  state.operands.reserve(regime.operands.size());
  for (const OperandPlace& place : regime.operands) {
    Operand& operand = state.operands.emplace_back();
    operand.tensor = place.tensor;
    if (place.kind == OperandPlace::Kind::kArena) {
      operand.tensor.data = arena(place.space).values->data() + place.offset;
    } else if (place.kind == OperandPlace::Kind::kState) {
      operand.kv = states[place.state];
    }
  }
  state.args.reserve(regime.steps.size());
  for (const ExecutableRegime::StepArgs& step : regime.steps) {
    const Operand* first = state.operands.data() + step.first_operand;
    const SpaceArena& memory = arena(step.space);
    const DeviceContext* there = device(step.device);
    const Batch* batch = there == nullptr ? nullptr : there->batch();
    state.args.push_back(
        {.inputs = {first, step.num_inputs},
         .outputs = {first + step.num_inputs, step.num_outputs},
         .attrs = step.node == nullptr ? std::span<const Attr>() : step.node->attrs(),
         .batch = batch == nullptr ? &batch_ : batch,
         .workspace = memory.values->data() + step.workspace_offset,
         .scratch = memory.scratch->data(),
         .bound = step.bound});
  }
  state.patches.reserve(regime.patches.size());
  for (const ExecutableRegime::Patch& patch : regime.patches) {
    state.patches.push_back({&state.operands[patch.operand].tensor.dims[patch.axis], patch.symbol});
  }
  state.poisoner = Poisoner::CreateIfDebugging(
      regime.regime->graph, arena(Device::kCpu).values->data() + regime.cpu_begin);
}

void CallContext::JoinParts(const ExecutableRegime& regime) {
  for (const JoinedPart& part : regime.joined) {
    if (part.is_rows) {
      JoinRows(regime, part);
    } else if (is_common_) {
      JoinColumns(regime, part);
    }
  }
}

void CallContext::JoinColumns(const ExecutableRegime& regime, const JoinedPart& part) {
  std::vector<Operand>& operands = regimes_.back().operands;
  const ExecutableRegime::StepArgs& computed = regime.steps[part.computed];
  const ExecutableRegime::StepArgs& joined = regime.steps[part.joined];
  const TensorView& whole = operands[joined.first_operand + joined.num_inputs].tensor;
  const size_t written = computed.first_operand + computed.num_inputs + part.result;
  for (size_t operand : {written, joined.first_operand}) {
    TensorView& columns = operands[operand].tensor;
    columns.data = whole.data + rank_ * columns.columns() * int64_t{sizeof(float)};
    columns.row_stride = whole.columns();
  }
}

// Without common memory every rank computes all rows, also directly in the result of the
// collective.
void CallContext::JoinRows(const ExecutableRegime& regime, const JoinedPart& part) {
  RegimeState& state = regimes_.back();
  const ExecutableRegime::StepArgs& computed = regime.steps[part.computed];
  const ExecutableRegime::StepArgs& joined = regime.steps[part.joined];
  for (size_t i = 0; i < joined.num_outputs; ++i) {
    if (InputInPlace(*joined.node, static_cast<int>(i)) < 0) continue;
    Operand* collected = &state.operands[joined.first_operand + i];
    std::byte* whole = collected[joined.num_inputs].tensor.data;
    collected->tensor.data = whole;
    state.operands[computed.first_operand + computed.num_inputs + i].tensor.data = whole;
  }
  if (!is_common_) return;
  for (size_t i = 0; i < computed.num_inputs + computed.num_outputs; ++i) {
    TensorView& view = state.operands[computed.first_operand + i].tensor;
    if (view.rank < 2) continue;  // a vector, of which all rows need all
    int64_t row_bytes = sizeof(float);
    for (int axis = 1; axis < view.rank; ++axis) row_bytes *= view.dims[axis];
    state.own_rows.push_back({&view, view.data, row_bytes});
  }
}

void CallContext::SetSymbols(const RegimeState& regime, const SymbolValues& symbols) const {
  for (const RegimeState::Patch& patch : regime.patches) *patch.dim = symbols[patch.symbol];
  for (const RegimeState::OwnRows& own : regime.own_rows) {
    const RowShare rows = RowsOfRank(own.view->dims[0], rank_, ranks_);
    own.view->data = own.first + rows.begin * own.row_bytes;
    own.view->dims[0] = rows.end - rows.begin;
  }
}

absl::Status CallContext::MakeDevices(const Executable& executable, std::span<const KvView> states,
                                      std::span<const std::byte> cache) {
  std::set<Device> devices;
  for (const ExecutableRegime& regime : executable.regimes()) {
    for (const ExecutableRegime::BoundSegment& segment : regime.segments) {
      if (segment.device != Device::kCpu) devices.insert(segment.device);
    }
  }
  if (devices.empty()) return absl::OkStatus();
  const WeightSource& source = executable.weights().source();
  uint64_t largest_weight = 0;
  for (const WeightInfo& weight : source.weights()) {
    largest_weight = std::max(largest_weight, weight.bytes);
  }
  const SpaceMemory& values = *arena(Device::kCpu).values;
  std::vector<MemorySpan> spans = {{MemorySpan::Use::kActivations, {values.data(), values.bytes()}},
                                   {MemorySpan::Use::kCache, cache, LargestPart(states)}};
  for (std::span<const std::byte> mapping : source.Mappings()) {
    spans.push_back({MemorySpan::Use::kWeights, mapping, largest_weight});
  }
  for (Device device : devices) {
    std::unique_ptr<DeviceContext>& context = devices_[static_cast<size_t>(device)];
    ASSIGN_OR_RETURN(context, executable.registry().backend(device)->MakeContext(spans));
    if (context != nullptr) used_devices_.push_back(context.get());
    if (context == nullptr && executable.registry().SpaceOf(device) == device) {
      return absl::InternalError(
          StrCat("the back end of ", Name(device), " has its own memory but made no context"));
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
