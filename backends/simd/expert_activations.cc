// SPDX-License-Identifier: Apache-2.0
//
// The activations of experts: gathered, and in the forms that their products expect.
#include <algorithm>

#include "backends/simd/expert_products.h"
#include "backends/simd/linear.h"
#include "backends/simd/memory_sizes.h"
#include "ir/graph/plan.h"

namespace infer::simd {
// Whether an earlier weight has the same form of the activations.
bool ExpertProducts::RepeatsForm(int i, int64_t rows) const {
  for (int j = 0; j < i; ++j) {
    if (FormOf(j, rows) == FormOf(i, rows)) return true;
  }
  return false;
}

uint64_t ExpertProducts::FormBytes(int count, int64_t rows) const {
  uint64_t bytes = 0;
  for (int i = 0; i < count; ++i) {
    const ActivationForm form = FormOf(i, rows);
    if (form == ActivationForm::kF32 || RepeatsForm(i, rows)) continue;
    bytes += AlignUp(bound_.makers[static_cast<int>(form)].bytes(rows, inner_), kSlotAlignment);
  }
  return bytes;
}

uint64_t ExpertProducts::FormOffset(int i, int64_t rows) const {
  int first = 0;
  while (FormOf(first, rows) != FormOf(i, rows)) ++first;
  return FormBytes(first, rows);
}

// The gathered rows of all experts come first, then the forms of each.
void ExpertProducts::DivideMemory() {
  uint64_t offset = AlignUp(FloatBytes(rows_.total() * inner_), kSlotAlignment);
  for (int64_t expert = 0; expert < rows_.experts(); ++expert) {
    offsets_[expert] = offset;
    if (rows_.rows(expert) > 0) offset += FormBytes(num_weights(), rows_.rows(expert));
  }
}

float* ExpertProducts::Gathered(int64_t expert) const {
  if (shared_) return args_.in(0).mutable_f32();
  return reinterpret_cast<float*>(args_.workspace) + rows_.first(expert) * inner_;
}

int64_t ExpertProducts::PrepareUnits() const {
  if (!shared_) return rows_.active();
  int64_t units = 0;
  for (int i = 0; i < num_weights(); ++i) {
    const ActivationForm form = FormOf(i, 1);
    if (form == ActivationForm::kF32 || RepeatsForm(i, 1)) continue;
    units += bound_.makers[static_cast<int>(form)].units(1, inner_);
  }
  return units;
}

void ExpertProducts::PrepareShared(int64_t begin, int64_t end) const {
  for (int i = 0; i < num_weights(); ++i) {
    const ActivationForm form = FormOf(i, 1);
    if (form == ActivationForm::kF32 || RepeatsForm(i, 1)) continue;
    const ActivationMaker& maker = bound_.makers[static_cast<int>(form)];
    const int64_t units = maker.units(1, inner_);
    const int64_t first = std::max<int64_t>(begin, 0), last = std::min(end, units);
    if (first < last) {
      maker.prepare(args_.in(0).f32(), 1, inner_, first, last, args_.workspace + FormOffset(i, 1));
    }
    begin -= units;
    end -= units;
  }
}

void ExpertProducts::Prepare(int64_t begin, int64_t end) const {
  if (shared_) return PrepareShared(begin, end);
  int32_t* places = Places();
  rows_.Sort(places);
  int64_t unit = 0;
  for (int64_t expert = 0; expert < rows_.experts() && unit < end; ++expert) {
    if (rows_.rows(expert) == 0) continue;
    if (unit++ >= begin) PrepareExpert(expert, places + rows_.first(expert));
  }
}

void ExpertProducts::PrepareExpert(int64_t expert, const int32_t* places) const {
  const int64_t rows = rows_.rows(expert);
  const int64_t places_per_row = args_.in(0).rank == 2 ? ids_.columns() : 1;
  float* gathered = Gathered(expert);
  for (int64_t i = 0; i < rows; ++i) {
    std::copy_n(args_.in(0).f32() + places[i] / places_per_row * inner_, inner_,
                gathered + i * inner_);
  }
  PrepareForms(gathered, rows, ExpertMemory(expert));
}

void ExpertProducts::PrepareForms(const float* x, int64_t rows, std::byte* memory) const {
  for (int i = 0; i < num_weights(); ++i) {
    const ActivationForm form = FormOf(i, rows);
    if (form == ActivationForm::kF32 || RepeatsForm(i, rows)) continue;
    const ActivationMaker& maker = bound_.makers[static_cast<int>(form)];
    maker.prepare(x, rows, inner_, 0, maker.units(rows, inner_), memory + FormOffset(i, rows));
  }
}

uint64_t ExpertWorkspaceBytes(const Node& node, const SymbolRanges& symbols) {
  const ValueType& ids = node.input(node.op().traits.expert_input).type();
  const TensorType& weight = node.input(1).type().tensor;
  const int64_t rows = ids.dim(0).At(symbols.Highest()) * ids.dim(1).value();
  const int64_t inner = weight.dim(2).value();
  const int64_t active = std::min(rows, weight.dim(0).value());
  bool quantized = false, plain = false;
  for (int i = 1; i < node.op().traits.expert_input; ++i) {
    (IsQuantized(node.input(i).type().tensor.dtype) ? quantized : plain) = true;
  }
  // Each expert's rows are padded; ActivationBytesBound is linear in rows but for a constant.
  const uint64_t form = ActivationBytesBound(rows + 15 * active, inner) +
                        static_cast<uint64_t>(active) * (ActivationBytesBound(0, inner) + 64);
  return AlignUp(FloatBytes(rows * inner), kSlotAlignment) + (quantized ? form : 0) +
         (plain ? form : 0);
}

}  // namespace infer::simd
