// SPDX-License-Identifier: Apache-2.0
//
// The steps of a Program as traces and logs present them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph/plan_terms.h"
#include "ir/program/program.h"

namespace infer {

struct CopyStep;

// A step that computes or copies something. Points into the Program, which must outlive it.
struct TracedStep {
  const Node* node = nullptr;      // for a copy, the node whose result it copies
  const CopyStep* copy = nullptr;  // null for a step that computes
  Device device = Device::kCpu;
  bool is_queued = false;  // the CPU continues while it runs
  int32_t number = 0;      // in the plan
  uint64_t id = 0;         // see NodeIds and CopyId
  StepMode mode = StepMode::kSerial;
  std::optional<int64_t> layer;
  std::string name;           // the node's without the layer, and the op: equal in every layer
  bool uses_tokens = false;   // T or R in the type of an input or result
  bool uses_context = false;  // S
};

// Returns the steps in the order of the plan.
std::vector<TracedStep> TracedSteps(const Regime& regime);

// Returns the types with the symbols of a call filled in: "f32[5,1024], q8_0[3072,1024]".
std::string InputsAt(const Node& node, const SymbolValues& symbols);
std::string ResultsAt(const Node& node, const SymbolValues& symbols);
// Returns the type of the value that the step copies.
std::string CopiedAt(const TracedStep& step, const SymbolValues& symbols);

// Returns the bytes of keys and values for one position, all layers together.
int64_t KvBytesPerPosition(const Program& program);

}  // namespace infer
