// SPDX-License-Identifier: Apache-2.0
//
// Defines what a kernel receives and what it guarantees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "ir/base/decision.h"
#include "ir/graph/graph.h"
#include "ir/graph/op_def.h"
#include "ir/graph/placement.h"
#include "ir/program/kernel_catalog.h"
#include "runtime/batch.h"

namespace infer {

// Memory with the dimensions of the current call, which it does not own. Contiguous; only a kernel
// with KernelInfo::strided_rows may find rows that lie apart.
struct TensorView {
  std::byte* data = nullptr;
  DType dtype = DType::kF32;
  int32_t rank = 0;
  int64_t dims[Shape::kMaxRank] = {};
  int64_t row_stride = 0;  // elements from one row to the next; 0: columns()

  int64_t dim(int axis) const { return dims[axis < 0 ? axis + rank : axis]; }
  int64_t columns() const { return dims[rank - 1]; }  // length of the last axis
  int64_t rows() const {                              // product of all other axes
    int64_t product = 1;
    for (int axis = 0; axis + 1 < rank; ++axis) product *= dims[axis];
    return product;
  }
  int64_t elements() const { return rows() * columns(); }
  int64_t stride() const { return row_stride == 0 ? columns() : row_stride; }

  const float* f32() const { return reinterpret_cast<const float*>(data); }
  float* mutable_f32() const { return reinterpret_cast<float*>(data); }
  const int32_t* i32() const { return reinterpret_cast<const int32_t*>(data); }
  int32_t* mutable_i32() const { return reinterpret_cast<int32_t*>(data); }
};

// An input or a result of a step; the op determines which member is used.
struct Operand {
  TensorView tensor;
  KvView kv;
};

// The arguments of a step, filled when a CallContext is created; a call rewrites only the batch and
// the symbolic dimensions.
struct KernelArgs {
  std::span<const Operand> inputs;
  std::span<const Operand> outputs;
  std::span<const Attr> attrs;  // in the order of the op's record
  const Batch* batch = nullptr;
  std::byte* workspace = nullptr;  // of the step, shared by all threads that run it
  std::byte* scratch = nullptr;    // of the calling thread
  const void* bound = nullptr;     // the constants that the kernel's bind computed for the node

  const TensorView& in(int i) const { return inputs[i].tensor; }
  const TensorView& out(int i = 0) const { return outputs[i].tensor; }
  template <class T>
  const T& attr(int i) const {
    return std::get<T>(attrs[i]);
  }
  template <class T>
  const T& constants() const {
    return *static_cast<const T*>(bound);
  }
};

// The part of a kernel's registration that placement sees. `accepts` judges types and static
// shapes, never T.
struct KernelInfo {
  std::string_view name;  // <op>_<types>_<target>: "linear_q8_0_scalar"
  const OpDef* op;
  Target target;
  Decision (*accepts)(const Node& node);
  int64_t min_rows = 1;
  int64_t max_rows = std::numeric_limits<int64_t>::max();
  // How the work on a node is divided into units, and what a unit accesses. nullptr: not divided.
  Partition (*partition)(const Node& node) = nullptr;
  bool rounds_activations = false;  // to the precision of the weights: int8, bf16
  // Whether `accepts` may take nodes whose product_input is rounded already, as rows of bf16.
  bool takes_rounded = false;
  // Whether the rows of its results may lie apart; of a collective, those of an input that lies in
  // its result.
  bool strided_rows = false;
  // The numerics class (KernelRecord) of calls with these numbers of rows. nullptr: none.
  std::string (*numerics)(const Node& node, Range rows) = nullptr;
  // KernelRecord::numerics_from of calls without a class. nullptr: 0.
  int64_t (*numerics_from)(const Node& node) = nullptr;
  // The layout in which the kernel expects `input`, a weight. nullptr: as the file stores it.
  std::string_view (*weight_layout)(const Node& node, int input) = nullptr;
  // Upper bounds over the family's ISA variants: shared workspace and scratch per thread. nullptr:
  // none needed.
  uint64_t (*workspace_bytes)(const Node& node, const SymbolRanges& symbols) = nullptr;
  uint64_t (*scratch_bytes)(const Node& node, const SymbolRanges& symbols) = nullptr;
};

// Returns what a Program records about the kernel for a node that it accepts.
KernelRecord RecordOf(const KernelInfo& info, const Node& node, const SymbolRanges& symbols);

// The layout of a weight as the model file stores it.
inline constexpr std::string_view kGgufLayout = "gguf";

inline std::string_view WeightLayoutOf(const KernelInfo& info, const Node& node, int input) {
  return info.weight_layout == nullptr ? kGgufLayout : info.weight_layout(node, input);
}

}  // namespace infer
