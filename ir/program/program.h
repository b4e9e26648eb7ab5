// SPDX-License-Identifier: Apache-2.0
//
// The result of compilation, which the executor runs: plain data without addresses, times or paths.
// The same inputs give the same bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph/dtype.h"
#include "ir/graph/graph.h"
#include "ir/graph/shape.h"
#include "ir/graph/sharding.h"
#include "ir/policy/policy.h"
#include "ir/program/model_ref.h"

namespace infer {

inline constexpr int32_t kProgramSchemaVersion = 1;

// A weight of the model file that some node reads, or the part of it that a rank has. The bytes
// stay in the file.
struct Weight {
  std::string name;  // for a part: WeightKey
  TensorType type;   // for a part: its own
  int32_t file = 0;
  uint64_t offset = 0;       // of the whole weight
  uint64_t bytes = 0;        // of the part
  uint64_t sample_hash = 0;  // of the whole weight
  std::optional<uint64_t> full_hash;
  std::vector<std::string> layouts;  // "gguf" or packed layouts, as the kernels require
  std::vector<Device> spaces;        // spaces of the nodes that read it, ascending
  WeightSlice slice = {};
  bool operator==(const Weight&) const = default;

  // Returns the name in the model file.
  std::string FileName() const;
  // Returns the type and the bytes in the model file.
  TensorType WholeType() const;
  uint64_t WholeBytes() const { return bytes * static_cast<uint64_t>(std::max(slice.parts, 1)); }
};

// Memory that outlives a call: the key/value cache of a layer. It lies in one space in all regimes;
// only nodes that work there can read and write it.
struct State {
  int32_t id = 0;
  int32_t layer = 0;
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  DType dtype = DType::kF16;
  std::string layout = "block_head_position";  // [block][kv_head][position][head_dim]
  Device home_space = Device::kCpu;
  bool operator==(const State&) const = default;
};

// The machine that the estimates were made for.
struct Machine {
  std::string text;  // empty: estimates are zero
  enum class Origin : uint8_t { kGeneric, kCalibrated } origin = Origin::kGeneric;
  bool operator==(const Machine&) const = default;
};

// What a pass did; its time is written to a separate file.
struct PassRecord {
  std::string name;
  bool changed = false;
  int32_t nodes_before = 0;
  int32_t nodes_after = 0;
  int32_t regime = 0;  // counted from 1; 0 for a pass that runs once for all of T
  bool operator==(const PassRecord&) const = default;
};

// A kernel of the compiling machine that could run a node of the Program, and the numbers of rows
// of the node's first result that it accepts.
struct KernelCandidate {
  std::string name;
  std::string op;
  Target target = Target::kScalar;
  int64_t min_rows = 1;
  int64_t max_rows = std::numeric_limits<int64_t>::max();
  bool operator==(const KernelCandidate&) const = default;
};

// The kernels that could run a set of nodes which kernels cannot distinguish. It allows predicting
// the effect of other thresholds without the compiling machine.
struct KernelChoice {
  Dim rows = 1;                     // of the first result; 1 if there are none
  std::vector<int32_t> kernels;     // positions in Program::kernels, the preferred first
  std::vector<int32_t> parts = {};  // for a composite op: earlier choices, each once
  bool operator==(const KernelChoice&) const = default;
};

// An interval of T on which every placement is the same, with its planned graph. The graph's symbol
// ranges are those of RegimeSymbols.
struct Regime {
  int64_t min_tokens = 1;
  int64_t max_tokens = 1;
  Graph graph;
  // Position in Program::kernel_choices for each node with a placement, in program order. Empty if
  // the Program has no kernel choices.
  std::vector<int32_t> kernel_choices = {};
};

struct Program {
  int32_t schema_version = kProgramSchemaVersion;
  ModelRef model;
  std::vector<Weight> weights;  // by name, ascending
  std::vector<State> states;    // by id, ascending from 0
  Policy policy;
  std::vector<std::string> overrides;
  Machine machine;
  SymbolRanges symbols;
  int64_t sequences = 1;        // that the cache is for; the most of S is the sum of their contexts
  std::vector<Regime> regimes;  // ascending, disjoint, covering the range of T
  std::vector<PassRecord> passes;
  std::vector<KernelCandidate> kernels;      // each once
  std::vector<KernelChoice> kernel_choices;  // each once; may be omitted
};

// Narrows the symbol ranges of the Program to those of a regime's graph: T is `tokens`, and a call
// cannot want more rows of logits than it has tokens.
inline SymbolRanges RegimeSymbols(const SymbolRanges& symbols, Range tokens) {
  SymbolRanges narrowed = symbols;
  narrowed[Symbol::kT] = tokens;
  Range& rows = narrowed[Symbol::kR];
  rows.max = std::max(rows.min, std::min(rows.max, tokens.max));
  return narrowed;
}

}  // namespace infer
