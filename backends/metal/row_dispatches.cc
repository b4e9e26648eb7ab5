// SPDX-License-Identifier: Apache-2.0
//
// rms_norm, add_rms_norm, row_sum_squares, softmax and argmax: one group per row.
#include <algorithm>

#include "backends/metal/dispatch_builder.h"
#include "backends/metal/kernel_rows.h"
#include "backends/scalar/accepts.h"
#include "ir/ops/ops.h"
#include "shaders/args.h"

namespace infer::metal {
namespace {

using scalar::AllF32;

// Four elements per thread and up to eight simdgroups: a pipeline that needs many registers may
// support no more than 384 threads. argmax needs few, and has one row of a whole vocabulary.
constexpr int64_t kMaxThreads = 256;
constexpr int64_t kMaxArgmaxThreads = 512;

uint32_t Threads(int64_t columns, int64_t most) {
  return static_cast<uint32_t>(std::clamp<int64_t>(CeilDiv(columns, 4 * 32) * 32, 32, most));
}

struct RowFunction {
  char library[8];
  char name[20];
};

template <RowFunction kFunction, int64_t kMost>
PipelineKey RowKey() {
  return {kFunction.library, kFunction.name, {}, kMost};
}

template <RowFunction kFunction, int64_t kMost>
void RowPipelines(const Node&, const SymbolRanges&, const DeviceClass&,
                  std::vector<PipelineKey>& out) {
  out.push_back(RowKey<kFunction, kMost>());
}

// Reads all inputs and writes all results in the op's order, which is that of the shaders.
template <RowFunction kFunction, int64_t kMost, bool kEps>
void AddRowDispatches(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                      std::vector<Dispatch>& out) {
  const TensorView& x = args.in(0);
  const float eps = kEps ? static_cast<float>(ops::RmsNormEps(args.attrs)) : 0.0f;
  const shader::RowArgs arguments = {static_cast<uint32_t>(x.columns()), eps};
  DispatchBuilder dispatch(RowKey<kFunction, kMost>(), arguments);
  for (const Operand& input : args.inputs) dispatch.Reads(input.tensor);
  for (const Operand& output : args.outputs) dispatch.Writes(output.tensor);
  dispatch.Flops(5 * x.elements())
      .Over({static_cast<uint32_t>(x.rows())}, {Threads(x.columns(), kMost)}, out);
}

template <RowFunction kFunction, int64_t kMost = kMaxThreads, bool kEps = false>
constexpr MetalKernel RowKernel(std::string_view name, const OpDef* op) {
  return Kernel(name, op, AllF32, RowPipelines<kFunction, kMost>,
                AddRowDispatches<kFunction, kMost, kEps>);
}

constexpr RowFunction kAddRmsNorm = {"norm", "add_rms_norm_f32"};
constexpr RowFunction kRmsNorm = {"norm", "rms_norm_f32"};

constexpr MetalKernel kRowTable[] = {
    RowKernel<kAddRmsNorm, kMaxThreads, true>("add_rms_norm_f32_metal", &ops::kAddRmsNorm),
    RowKernel<RowFunction{"softmax", "argmax_f32"}, kMaxArgmaxThreads>("argmax_f32_metal",
                                                                       &ops::kArgmax),
    RowKernel<kRmsNorm, kMaxThreads, true>("rms_norm_f32_metal", &ops::kRmsNorm),
    RowKernel<RowFunction{"norm", "row_sum_squares_f32"}>("row_sum_squares_f32_metal",
                                                          &ops::kRowSumSquares),
    RowKernel<RowFunction{"softmax", "softmax_f32"}>("softmax_f32_metal", &ops::kSoftmax),
};

}  // namespace

std::span<const MetalKernel> RowTable() { return kRowTable; }

}  // namespace infer::metal
