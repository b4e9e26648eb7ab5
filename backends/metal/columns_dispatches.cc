// SPDX-License-Identifier: Apache-2.0
//
// slice_columns, concat_columns, broadcast_rows and transpose.
#include "backends/metal/dispatch_builder.h"
#include "backends/metal/kernel_rows.h"
#include "backends/scalar/accepts.h"
#include "ir/ops/ops.h"
#include "shaders/args.h"

namespace infer::metal {
namespace {

using scalar::AllF32;
using shader::kPlainTile;

constexpr uint32_t kColumnsThreads = 64;  // along a row

PipelineKey CopyKey() { return {"columns", "copy_columns_f32", {}, kColumnsThreads}; }
PipelineKey BroadcastKey() { return {"columns", "broadcast_rows_f32", {}, kColumnsThreads}; }
PipelineKey TransposeKey() { return {"columns", "transpose_f32", {}, kPlainTile * kPlainTile}; }

template <PipelineKey (*kKey)()>
void ColumnsPipelines(const Node&, const SymbolRanges&, const DeviceClass&,
                      std::vector<PipelineKey>& out) {
  out.push_back(kKey());
}

// Copies columns [from, from + columns) of x to the columns of the result that start at `to`.
void DispatchCopy(const TensorView& x, int64_t from, int64_t columns, const TensorView& result,
                  int64_t to, std::vector<Dispatch>& out) {
  const shader::ColumnArgs arguments = {
      static_cast<uint32_t>(result.rows()),    static_cast<uint32_t>(columns),
      static_cast<uint32_t>(x.columns()),      static_cast<uint32_t>(from),
      static_cast<uint32_t>(result.columns()), static_cast<uint32_t>(to)};
  DispatchBuilder(CopyKey(), arguments)
      .Reads(x)
      .Writes(result)
      .Over({CeilDiv(columns, kColumnsThreads), arguments.rows}, {kColumnsThreads}, out);
}

void DispatchSlice(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                   std::vector<Dispatch>& out) {
  DispatchCopy(args.in(0), ops::SliceFirstColumn(args.attrs), args.out().columns(), args.out(), 0,
               out);
}

// The parts are interleaved, so judged by byte ranges they wait for each other.
void DispatchConcat(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                    std::vector<Dispatch>& out) {
  int64_t to = 0;
  for (const Operand& part : args.inputs) {
    DispatchCopy(part.tensor, 0, part.tensor.columns(), args.out(), to, out);
    to += part.tensor.columns();
  }
}

shader::GatherArgs ResultArgs(const KernelArgs& args) {
  return {static_cast<uint32_t>(args.out().rows()), static_cast<uint32_t>(args.out().columns())};
}

void DispatchBroadcast(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                       std::vector<Dispatch>& out) {
  const shader::GatherArgs arguments = ResultArgs(args);
  DispatchBuilder(BroadcastKey(), arguments)
      .Reads(args.in(0))
      .Writes(args.out())
      .Over({CeilDiv(arguments.columns, kColumnsThreads), arguments.rows}, {kColumnsThreads}, out);
}

void DispatchTranspose(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                       std::vector<Dispatch>& out) {
  const shader::GatherArgs arguments = ResultArgs(args);
  DispatchBuilder(TransposeKey(), arguments)
      .Reads(args.in(0))
      .Writes(args.out())
      .Over({CeilDiv(arguments.columns, kPlainTile), CeilDiv(arguments.rows, kPlainTile)},
            {kPlainTile, kPlainTile}, out);
}

constexpr MetalKernel kColumnsTable[] = {
    Kernel("broadcast_rows_f32_metal", &ops::kBroadcastRows, AllF32, ColumnsPipelines<BroadcastKey>,
           DispatchBroadcast),
    Kernel("concat_columns_f32_metal", &ops::kConcatColumns, AllF32, ColumnsPipelines<CopyKey>,
           DispatchConcat),
    Kernel("slice_columns_f32_metal", &ops::kSliceColumns, AllF32, ColumnsPipelines<CopyKey>,
           DispatchSlice),
    Kernel("transpose_f32_metal", &ops::kTranspose, AllF32, ColumnsPipelines<TransposeKey>,
           DispatchTranspose),
};

}  // namespace

std::span<const MetalKernel> ColumnsTable() { return kColumnsTable; }

}  // namespace infer::metal
