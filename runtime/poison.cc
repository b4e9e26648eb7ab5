// SPDX-License-Identifier: Apache-2.0
#include "runtime/poison.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "ir/graph/plan.h"
#include "runtime/kernel_registry.h"

namespace infer {
namespace {

#ifdef NDEBUG
constexpr bool kPoisons = false;
#else
constexpr bool kPoisons = true;
#endif

constexpr int kPattern = 0xff;  // in every byte: a NaN in f32 and f16, -1 in i32

bool RunsStepByStep(const Plan& plan) {
  for (const Segment& segment : plan.segments) {
    if (segment.device != Device::kCpu) return false;
    for (const Step& step : segment.steps) {
      if (step.node < 0 || step.mode != StepMode::kSerial) return false;
    }
  }
  return true;
}

// Slots that are views of each other or were reused in place: one buffer.
struct Buffer {
  uint64_t offset = 0;
  TensorType type;
  int32_t last_step = 0;
  bool holds_result = false;  // of the graph: read by the caller after the last step
};

std::vector<Buffer> BuffersOf(const Graph& graph) {
  std::vector<Node*> nodes = graph.nodes();
  std::vector<Buffer> buffers;
  std::map<ValueRef, size_t> buffer_of;
  for (const Slot& slot : graph.plan()->slots) {
    size_t index = slot.alias_of ? buffer_of.at(*slot.alias_of) : buffers.size();
    Node* node = nodes[slot.value.node];
    if (!slot.alias_of) {
      buffers.push_back({slot.offset, node->result(slot.value.result).type.tensor, 0, false});
    }
    buffer_of[slot.value] = index;
    buffers[index].last_step = std::max(buffers[index].last_step, slot.last_step);
    buffers[index].holds_result |= graph.IsResult(node->output(slot.value.result));
  }
  return buffers;
}

}  // namespace

std::unique_ptr<Poisoner> Poisoner::CreateIfDebugging(const Graph& graph, std::byte* arena) {
  if (!kPoisons || !RunsStepByStep(*graph.plan())) return nullptr;
  auto poisoner = std::unique_ptr<Poisoner>(new Poisoner(arena));
  poisoner->AddWorkspaces(graph);
  poisoner->AddBuffers(graph);
  return poisoner;
}

void Poisoner::AddWorkspaces(const Graph& graph) {
  std::vector<Node*> nodes = graph.nodes();
  for (const Segment& segment : graph.plan()->segments) {
    for (const Step& step : segment.steps) {
      if (nodes[step.node]->placement()->kernel != kViewKernel) {
        dead_.emplace_back();
        if (step.workspace_bytes > 0) {
          dead_.back().push_back({step.workspace_offset, step.workspace_bytes, {}, false});
        }
      }
      computing_.push_back(static_cast<int>(dead_.size()) - 1);
    }
  }
}

// A view reads nothing: memory whose last use is a view is dead after the preceding computing step.
void Poisoner::AddBuffers(const Graph& graph) {
  for (const Buffer& buffer : BuffersOf(graph)) {
    if (buffer.holds_result || static_cast<size_t>(buffer.last_step) >= computing_.size()) continue;
    int step = computing_[buffer.last_step];
    if (step >= 0) dead_[step].push_back({buffer.offset, 0, buffer.type, true});
  }
}

void Poisoner::Begin(const SymbolValues& symbols, StepObserver* next) {
  symbols_ = symbols;
  next_ = next;
  step_ = 0;
}

void Poisoner::AfterStep(const Node& node, const KernelArgs& args) {
  if (next_ != nullptr) next_->AfterStep(node, args);
  for (const Dead& dead : dead_[step_++]) {
    uint64_t bytes = dead.is_buffer ? BytesAt(dead.type, symbols_).value_or(0) : dead.bytes;
    std::memset(arena_ + dead.offset, kPattern, bytes);
  }
}

}  // namespace infer
