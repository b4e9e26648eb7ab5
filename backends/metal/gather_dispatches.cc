// SPDX-License-Identifier: Apache-2.0
//
// Rows by index: embed, gather_rows and select_rows.
#include <array>
#include <iterator>
#include <utility>

#include "backends/metal/dispatch_builder.h"
#include "backends/metal/kernel_rows.h"
#include "backends/metal/weight_types.h"
#include "backends/scalar/accepts.h"
#include "ir/ops/ops.h"
#include "shaders/args.h"

namespace infer::metal {
namespace {

using scalar::AllF32;
using scalar::InputIs;

constexpr int64_t kGatherThreads = 64;     // along a row
constexpr int64_t kEmbeddedElements = 16;  // per thread

PipelineKey EmbedKey(DType table) {
  return {"embed", FindWeight(table)->embed, {}, kGatherThreads};
}

void EmbedPipelines(const Node& node, const SymbolRanges&, const DeviceClass&,
                    std::vector<PipelineKey>& out) {
  out.push_back(EmbedKey(node.input(0).type().tensor.dtype));
}

void DispatchEmbed(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                   std::vector<Dispatch>& out) {
  const TensorView& table = args.in(0);
  const TensorView& tokens = args.in(1);
  const shader::EmbedArgs arguments = {static_cast<uint32_t>(tokens.elements()),
                                       static_cast<uint32_t>(table.columns()),
                                       static_cast<uint32_t>(BytesOf(table) / table.rows())};
  DispatchBuilder(EmbedKey(table.dtype), arguments)
      .Reads(table)
      .Reads(tokens)
      .Writes(args.out())
      .Flops(args.out().elements())
      .Over({CeilDiv(table.columns(), kGatherThreads * kEmbeddedElements), arguments.tokens},
            {kGatherThreads}, out);
}

PipelineKey GatherKey() { return {"gather", "gather_rows_f32", {}, kGatherThreads}; }

void GatherPipelines(const Node&, const SymbolRanges&, const DeviceClass&,
                     std::vector<PipelineKey>& out) {
  out.push_back(GatherKey());
}

// Gathers `rows` rows of x, each of `columns` elements, by the indices at `numbers`.
void DispatchGather(const KernelArgs& args, const std::byte* numbers, int64_t rows, int64_t columns,
                    std::vector<Dispatch>& out) {
  const shader::GatherArgs arguments = {static_cast<uint32_t>(rows),
                                        static_cast<uint32_t>(columns)};
  DispatchBuilder(GatherKey(), arguments)
      .Reads(args.in(0))
      .Reads(numbers, sizeof(int32_t) * rows)
      .Writes(args.out())
      .Over({CeilDiv(columns, kGatherThreads), arguments.rows}, {kGatherThreads}, out);
}

void DispatchGatherRows(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                        std::vector<Dispatch>& out) {
  DispatchGather(args, args.in(1).data, args.out().rows(), args.out().columns(), out);
}

// A row is everything that belongs to one token, so it may be of rank 1 or more.
void DispatchSelectRows(const KernelArgs& args, const DeviceBatch& batch, const DeviceClass&,
                        std::vector<Dispatch>& out) {
  const int64_t rows = args.out().dim(0);
  if (rows == 0) return;
  DispatchGather(args, batch.out_rows, rows, args.out().elements() / rows, out);
}

template <DType kType>
constexpr MetalKernel Embed() {
  return Kernel(KernelName<"embed", kType, "metal">, &ops::kEmbed, InputIs<0, kType>,
                EmbedPipelines, DispatchEmbed);
}

constexpr auto kGatherTable = []<size_t... kAt>(std::index_sequence<kAt...>) {
  return std::array{Embed<kWeightTypes[kAt].dtype>()...,
                    Kernel("gather_rows_f32_metal", &ops::kGatherRows, AllF32, GatherPipelines,
                           DispatchGatherRows),
                    Kernel("select_rows_f32_metal", &ops::kSelectRows, AllF32, GatherPipelines,
                           DispatchSelectRows)};
}(std::make_index_sequence<std::size(kWeightTypes)>());

}  // namespace

std::span<const MetalKernel> GatherTable() { return kGatherTable; }

}  // namespace infer::metal
