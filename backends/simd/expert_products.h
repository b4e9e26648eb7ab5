// SPDX-License-Identifier: Apache-2.0
//
// The products of the experts of a call, with the products of the chosen level.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/simd/expert_rows.h"
#include "backends/simd/isa/linear_kernel.h"
#include "backends/simd/isa/vector_kernels.h"
#include "backends/simd/linear_kind.h"
#include "runtime/kernel.h"

namespace infer::simd {

// The functions for a node, chosen when it is bound.
struct BoundExperts {
  struct Weight {
    const LinearKernel* few;   // for experts with fewer rows than tiles are for
    const LinearKernel* many;  // for the others; where there are no tiles, the same
    uint64_t stride = 0;       // bytes between the matrices of two experts
  };
  const ActivationMaker* makers;  // indexed by form
  const VectorKernels* vector;
  std::vector<Weight> weights;
};
std::shared_ptr<const void> BindExperts(const Node& node, LinearKind kind);

// One call of a node. Rows are gathered by expert and brought into the form that the product of the
// expert's number of rows expects. Then each expert multiplies its rows, granule by granule, into a
// tile of the thread, from where they are distributed to their places.
class ExpertProducts {
 public:
  explicit ExpertProducts(const KernelArgs& args);

  // A unit is an expert that has rows or, for a single token, a part of its only row, which all
  // experts share.
  int64_t PrepareUnits() const;
  void Prepare(int64_t begin, int64_t end) const;

  int64_t Units() const { return units_.count(); }
  void Run(int64_t begin, int64_t end) const;

 private:
  const TensorView& weight(int i) const { return args_.in(1 + i); }
  int num_weights() const { return static_cast<int>(bound_.weights.size()); }
  const LinearKernel& KernelOf(int i, int64_t rows) const;
  ActivationForm FormOf(int i, int64_t rows) const { return KernelOf(i, rows).form(rows); }
  // The bytes of the first `count` weights' forms of an expert with this many rows.
  uint64_t FormBytes(int count, int64_t rows) const;
  // Where the form of weight i is, relative to the expert's memory.
  uint64_t FormOffset(int i, int64_t rows) const;
  bool RepeatsForm(int i, int64_t rows) const;
  void DivideMemory();
  std::byte* ExpertMemory(int64_t expert) const {
    return shared_ ? args_.workspace : args_.workspace + offsets_[expert];
  }
  float* Gathered(int64_t expert) const;
  void PrepareShared(int64_t begin, int64_t end) const;
  void PrepareExpert(int64_t expert, const int32_t* places) const;
  void PrepareForms(const float* x, int64_t rows, std::byte* memory) const;

  void RunColumns(int64_t expert, int64_t begin, int64_t end, const int32_t* places) const;
  void Multiply(int i, int64_t expert, int64_t begin, int64_t end, float* out,
                int64_t stride) const;
  void Distribute(int64_t rows, int64_t stride, int64_t begin, int64_t count,
                  const int32_t* places) const;
  void FillUnknown(const int32_t* places) const;

  int32_t* Places() const;
  float* Tiles() const;

  const KernelArgs& args_;
  const BoundExperts& bound_;
  const TensorView& ids_;
  ExpertRows rows_;
  int64_t inner_;
  int64_t outputs_;
  bool shared_;  // one token with one row for all experts, which are different ones
  ExpertUnits units_;
  std::array<uint64_t, kMaxExperts> offsets_;  // of each expert's forms in the workspace
};

// Upper bounds over all levels: what ExpertProducts needs for nodes of these shapes.
uint64_t ExpertWorkspaceBytes(const Node& node, const SymbolRanges& symbols);
uint64_t ExpertScratchBytes(const Node& node, const SymbolRanges& symbols);

}  // namespace infer::simd
