// SPDX-License-Identifier: Apache-2.0
//
// attn_mask and kv_read: the cache entries that a call sees.
#include "backends/metal/cache_bytes.h"
#include "backends/metal/dispatch_builder.h"
#include "backends/metal/kernel_rows.h"
#include "backends/scalar/accepts.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "shaders/args.h"

namespace infer::metal {
namespace {

constexpr uint32_t kEntriesThreads = 64;  // along a row

PipelineKey MaskKey() { return {"entries", "attn_mask_f32", {}, kEntriesThreads}; }

void MaskPipelines(const Node&, const SymbolRanges&, const DeviceClass&,
                   std::vector<PipelineKey>& out) {
  out.push_back(MaskKey());
}

void DispatchMask(const KernelArgs& args, const DeviceBatch& batch, const DeviceClass&,
                  std::vector<Dispatch>& out) {
  const shader::GatherArgs arguments = {static_cast<uint32_t>(args.out().rows()),
                                        static_cast<uint32_t>(args.out().columns())};
  DispatchBuilder(MaskKey(), arguments)
      .Reads(args.in(0))
      .Reads(batch.token_seq, sizeof(int32_t) * batch.tokens)
      .Reads(batch.token_pos, sizeof(int32_t) * batch.tokens)
      .Reads(batch.sequences, sizeof(shader::SequenceArgs) * batch.num_sequences)
      .Writes(args.out())
      .Over({CeilDiv(arguments.columns, kEntriesThreads), arguments.rows}, {kEntriesThreads}, out);
}

PipelineKey ReadKey(DType dtype) {
  const std::string_view function = dtype == DType::kF32   ? "kv_read_f32"
                                    : dtype == DType::kF16 ? "kv_read_f16"
                                                           : "kv_read_q8_0";
  return {"entries", function, {}, kEntriesThreads};
}

template <DType kType>
Decision Reads(const Node& node) {
  const int64_t head_dim = node.input(0).type().dim(1).value();
  if (node.input(0).type().tensor.dtype == kType && head_dim % Info(kType).block_elements != 0) {
    return Decision::Reject(StrCat("heads of ", head_dim, " are not a multiple of ",
                                   Info(kType).block_elements, ", the ", Name(kType),
                                   " block size"));
  }
  return scalar::InputIs(node, 0, kType);
}

void ReadPipelines(const Node& node, const SymbolRanges&, const DeviceClass&,
                   std::vector<PipelineKey>& out) {
  out.push_back(ReadKey(node.input(0).type().tensor.dtype));
}

void DispatchRead(const KernelArgs& args, const DeviceBatch& batch, const DeviceClass&,
                  std::vector<Dispatch>& out) {
  const KvView& kv = args.inputs[0].kv;
  const TensorView& keys = args.out(0);
  const shader::EntryArgs arguments = {
      static_cast<uint32_t>(keys.dim(0)), static_cast<uint32_t>(kv.kv_heads),
      static_cast<uint32_t>(kv.head_dim), static_cast<uint32_t>(kv.block_positions)};
  const uint64_t cache = VisibleCacheBytes(kv, *args.batch);
  DispatchBuilder(ReadKey(kv.dtype), arguments)
      .Reads(kv.k, cache)
      .Reads(kv.v, cache)
      .Reads(batch.sequences, sizeof(shader::SequenceArgs) * batch.num_sequences)
      .Reads(batch.block_tables, sizeof(int32_t) * batch.num_blocks)
      .Writes(keys)
      .Writes(args.out(1))
      .Over({CeilDiv(keys.columns(), kEntriesThreads), arguments.entries}, {kEntriesThreads}, out);
}

template <DType kType>
constexpr MetalKernel KvRead(std::string_view name) {
  return Kernel(name, &ops::kKvRead, Reads<kType>, ReadPipelines, DispatchRead);
}

constexpr MetalKernel kEntriesTable[] = {
    Kernel("attn_mask_f32_metal", &ops::kAttnMask, scalar::AllF32, MaskPipelines, DispatchMask),
    KvRead<DType::kF32>("kv_read_f32_metal"),
    KvRead<DType::kF16>("kv_read_f16_metal"),
    KvRead<DType::kQ8_0>("kv_read_q8_0_metal"),
};

}  // namespace

std::span<const MetalKernel> EntriesTable() { return kEntriesTable; }

}  // namespace infer::metal
