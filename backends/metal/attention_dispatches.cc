// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/metal/cache_bytes.h"
#include "backends/metal/dispatch_builder.h"
#include "backends/metal/kernel_rows.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "shaders/args.h"

namespace infer::metal {
namespace {

constexpr int64_t kRun = 32;             // elements of a head that a shader processes at once
constexpr int64_t kMaxVectorHead = 256;  // kMaxRuns of shaders/attention_vector.metal
constexpr int64_t kMaxTileHead = 128;    // its tile uses 25 of 32 KiB of threadgroup memory
constexpr uint32_t kTileThreads = 128;
// Positions per simdgroup of the vector kernel before another simdgroup is added; eight simdgroups
// are 256 threads, which every pipeline supports.
constexpr int64_t kPositionsOfSimdgroup = 128;
constexpr int64_t kMaxSimdgroups = 8;

struct CacheFunctions {
  DType dtype;
  std::string_view vector;
  std::string_view tile;
};
constexpr CacheFunctions kFunctions[] = {
    {DType::kF32, "attention_vector_f32", "attention_tile_f32"},
    {DType::kF16, "attention_vector_f16", "attention_tile_f16"},
    {DType::kQ8_0, "attention_vector_q8_0", "attention_tile_q8_0"},
};

PipelineKey AttentionKey(DType dtype, bool tile, int64_t head_dim) {
  const auto constant = static_cast<int32_t>(head_dim);
  for (const CacheFunctions& row : kFunctions) {
    if (row.dtype != dtype) continue;
    if (tile) return {"attention_tile", row.tile, {constant}, kTileThreads};
    return {"attention_vector", row.vector, {constant}, 32 * kMaxSimdgroups};
  }
  return {};
}

template <DType kType>
Decision Accepts(const Node& node) {
  const ValueType& kv = node.input(1).type();
  if (kv.tensor.dtype != kType) {
    return Decision::Reject(
        StrCat("cache is ", Name(kv.tensor.dtype), "; this kernel reads ", Name(kType)));
  }
  const int64_t head_dim = node.input(0).type().dim(2).value();
  if (head_dim % kRun != 0 || head_dim > kMaxVectorHead) {
    return Decision::Reject(StrCat("heads of ", head_dim, "; this kernel takes multiples of ", kRun,
                                   " up to ", kMaxVectorHead));
  }
  return Decision::Accept();
}

// Sequences with few tokens can occur in a call of any length, those with many only in a long one.
void AttentionPipelines(const Node& node, const SymbolRanges& symbols, const DeviceClass& device,
                        std::vector<PipelineKey>& out) {
  const Range& tokens = symbols[Symbol::kT];

  const DType dtype = node.input(1).type().tensor.dtype;
  const int64_t head_dim = node.input(0).type().dim(2).value();
  out.push_back(AttentionKey(dtype, false, head_dim));
  const bool many = !tokens.is_set() || tokens.max >= device.tile_queries;
  if (many && head_dim <= kMaxTileHead) out.push_back(AttentionKey(dtype, true, head_dim));
}

// Plans one node's attention, divided into runs of tokens.
class AttentionDispatches {
 public:
  AttentionDispatches(const KernelArgs& args, const DeviceBatch& batch, std::vector<Dispatch>& out)
      : args_(args),
        batch_(batch),
        out_(out),
        kv_(args.inputs[1].kv),
        heads_(args.in(0).dim(1)),
        head_dim_(args.in(0).dim(2)),
        cache_bytes_(VisibleCacheBytes(kv_, *args.batch)) {}

  void Vector(int64_t first, int64_t tokens) {
    const int64_t simdgroups =
        std::clamp<int64_t>(CeilDiv(batch_.max_length, kPositionsOfSimdgroup), 1, kMaxSimdgroups);
    Start(false, first, tokens)
        .Threadgroup(sizeof(float) * simdgroups * shader::AttentionPartFloats(head_dim_))
        .Over({static_cast<uint32_t>(heads_), static_cast<uint32_t>(tokens)},
              {static_cast<uint32_t>(32 * simdgroups)}, out_);
  }

  // Queries, sums, keys or values, weights, two numbers per query and one per simdgroup.
  void Tile(int64_t first, int64_t tokens) {
    using shader::kTileKeys, shader::kTileQueries;
    const int64_t floats = (2 * kTileQueries + kTileKeys) * head_dim_ + kTileQueries * kTileKeys +
                           2 * kTileQueries + kTileThreads / 32;
    Start(true, first, tokens)
        .Threadgroup(sizeof(float) * floats)
        .Over({CeilDiv(tokens, shader::kTileQueries), static_cast<uint32_t>(heads_)},
              {kTileThreads}, out_);
  }

 private:
  DispatchBuilder Start(bool tile, int64_t first, int64_t tokens) {
    const shader::AttentionArgs arguments = {static_cast<uint32_t>(first),
                                             static_cast<uint32_t>(tokens),
                                             static_cast<uint32_t>(heads_),
                                             static_cast<uint32_t>(kv_.kv_heads),
                                             static_cast<uint32_t>(kv_.block_positions),
                                             static_cast<float>(ops::AttentionScale(args_.attrs))};
    const int64_t row = heads_ * head_dim_;
    DispatchBuilder dispatch(AttentionKey(kv_.dtype, tile, head_dim_), arguments);
    dispatch.Reads(args_.in(0))
        .Reads(kv_.k, cache_bytes_)
        .Reads(kv_.v, cache_bytes_)
        .Reads(batch_.token_seq, sizeof(int32_t) * batch_.tokens)
        .Reads(batch_.token_pos, sizeof(int32_t) * batch_.tokens)
        .Reads(batch_.sequences, sizeof(shader::SequenceArgs) * batch_.num_sequences)
        .Reads(batch_.block_tables, sizeof(int32_t) * batch_.num_blocks)
        .Writes(args_.out().data + sizeof(float) * first * row, sizeof(float) * tokens * row)
        .Flops(4 * tokens * row * batch_.max_length);
    return dispatch;
  }

  const KernelArgs& args_;
  const DeviceBatch& batch_;
  std::vector<Dispatch>& out_;
  const KvView& kv_;
  int64_t heads_;
  int64_t head_dim_;
  uint64_t cache_bytes_;
};

// Sequences with many tokens get tiles, one dispatch each; consecutive other ones share a dispatch.
void AddAttentionDispatches(const KernelArgs& args, const DeviceBatch& batch,
                            const DeviceClass& device, std::vector<Dispatch>& out) {
  AttentionDispatches dispatches(args, batch, out);
  const bool tiles = args.in(0).dim(2) <= kMaxTileHead;
  int64_t first = 0, end = 0;  // tokens pending for a vector dispatch
  auto flush = [&] {
    if (first < end) dispatches.Vector(first, end - first);
  };
  for (const BatchSequence& sequence : args.batch->sequences) {
    const int64_t next = sequence.first_token + sequence.count;
    if (tiles && sequence.count >= device.tile_queries) {
      flush();
      dispatches.Tile(sequence.first_token, sequence.count);
      first = next;
    }
    end = next;
  }
  flush();
}

template <DType kType>
constexpr MetalKernel AttentionRow(std::string_view name) {
  return Kernel(name, &ops::kAttention, Accepts<kType>, AttentionPipelines, AddAttentionDispatches);
}

constexpr MetalKernel kAttentionTable[] = {AttentionRow<DType::kF32>("attention_f32_metal"),
                                           AttentionRow<DType::kF16>("attention_f16_metal"),
                                           AttentionRow<DType::kQ8_0>("attention_q8_0_metal")};

}  // namespace

std::span<const MetalKernel> AttentionTable() { return kAttentionTable; }

}  // namespace infer::metal
