// SPDX-License-Identifier: Apache-2.0
//
// attention: sequences with few tokens in the call by parts of their history, sequences with many
// by tiles on tensor cores, one launch for each such sequence.
#include <algorithm>

#include "backends/cuda/kernel_rows.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::cuda {
namespace {

constexpr int64_t kTileTokens = 16;  // from here on, tiles
static_assert(kTileTokens > kGraphTokens, "calls that are recorded must not have tiles");
// Above this many tokens the parts of a history would need too much memory, and the tokens alone
// keep the card busy.
constexpr int64_t kSplitTokens = 32;
constexpr uint32_t kFewSplits = 4;

uint32_t SplitsOf(int64_t tokens) {
  return tokens <= kSplitTokens ? uint32_t{kAttentionSplits} : kFewSplits;
}

int64_t GroupOf(int64_t heads, int64_t kv_heads) {
  const int64_t group = heads / kv_heads;
  return group % 4 == 0 ? 4 : group % 2 == 0 ? 2 : 1;
}

uint64_t PartialBytes(int64_t tokens, int64_t heads, int64_t head_dim) {
  return static_cast<uint64_t>(tokens * heads * SplitsOf(tokens) * (head_dim + 2)) * sizeof(float);
}

uint64_t Workspace(const Node& node, const SymbolRanges& symbols) {
  const ValueType& q = node.input(0).type();
  const int64_t heads = q.dim(1).value(), head_dim = q.dim(2).value();
  const int64_t most = symbols[Symbol::kT].is_set() ? symbols[Symbol::kT].max : 1;
  // Not monotone in the tokens: fewer of them have more parts.
  return std::max(PartialBytes(most, heads, head_dim),
                  PartialBytes(std::min(most, kSplitTokens), heads, head_dim));
}

void AddVector(DType cache, AttentionArgs args, int64_t head_dim, int64_t first, int64_t tokens,
               std::vector<Launch>& out) {
  const int64_t group = GroupOf(args.heads, args.kv_heads);
  // A counter for each token and head. Launches run one after the other, so all use the same
  // counters and partial results.
  const int64_t most = kCounters / args.heads;
  for (int64_t done = 0; done < tokens; done += most) {
    const int64_t count = std::min(tokens - done, most);
    AttentionArgs part = args;
    part.first_token = static_cast<uint32_t>(first + done);
    part.tokens = static_cast<uint32_t>(count);
    AddLaunch(
        "attention_vector", StrCat("attention_", Name(cache), "_d", head_dim, "_g", group), part,
        {args.splits, static_cast<uint32_t>(args.heads / group), static_cast<uint32_t>(count)},
        kAttentionThreads,
        static_cast<uint64_t>(kAttentionThreads / 32 * group * (head_dim + 2)) * sizeof(float),
        out);
  }
}

void AddTiles(DType cache, AttentionArgs args, int64_t head_dim, const BatchSequence& sequence,
              std::vector<Launch>& out) {
  args.first_token = static_cast<uint32_t>(sequence.first_token);
  args.tokens = static_cast<uint32_t>(sequence.count);
  const uint64_t shared =
      static_cast<uint64_t>(kTileQueries + 2 * kTileKeys) * static_cast<uint64_t>(head_dim + 8) * 2;
  AddLaunch("attention_tile", StrCat("attention_tile_", Name(cache), "_d", head_dim), args,
            {CeilDiv(sequence.count, kTileQueries), args.heads}, kTileThreads, shared, out);
}

void LaunchAttention(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  const TensorView& q = args.in(0);
  const KvView& kv = args.inputs[1].kv;
  const int64_t tokens = q.dim(0), heads = q.dim(1), head_dim = q.dim(2);
  AttentionArgs common = {};
  common.out = args.out().mutable_f32();
  common.q = q.f32();
  common.k_cache = reinterpret_cast<const unsigned char*>(kv.k);
  common.v_cache = reinterpret_cast<const unsigned char*>(kv.v);
  common.token_pos = batch.token_pos;
  common.token_table = batch.token_table;
  common.block_tables = batch.block_tables;
  common.partials = reinterpret_cast<float*>(args.workspace);
  common.counters = batch.counters;
  common.heads = static_cast<uint32_t>(heads);
  common.kv_heads = static_cast<uint32_t>(kv.kv_heads);
  common.block_positions = static_cast<uint32_t>(kv.block_positions);
  common.splits = SplitsOf(tokens);
  common.scale = static_cast<float>(ops::AttentionScale(args.attrs));
  // Tiles round to f16, which an f32 cache is not for.
  int64_t first = 0;  // of the tokens before a sequence with tiles
  if (kv.dtype != DType::kF32) {
    for (const BatchSequence& sequence : batch.host->sequences) {
      if (sequence.count < kTileTokens) continue;
      AddVector(kv.dtype, common, head_dim, first, sequence.first_token - first, out);
      AddTiles(kv.dtype, common, head_dim, sequence, out);
      first = sequence.first_token + sequence.count;
    }
  }
  AddVector(kv.dtype, common, head_dim, first, tokens - first, out);
}

void Modules(const Node&, std::vector<std::string_view>& out) {
  out.push_back("attention_vector");
  out.push_back("attention_tile");
}

template <DType kType>
Decision Accepts(const Node& node) {
  const ValueType& kv = node.input(1).type();
  const int64_t head_dim = kv.dim(1).value();
  if (kv.tensor.dtype != kType) {
    return Decision::Reject(
        StrCat("cache is ", Name(kv.tensor.dtype), "; this kernel reads ", Name(kType)));
  }
  if (head_dim == 64 || head_dim == 128) return Decision::Accept();
  return Decision::Reject(StrCat("heads of ", head_dim, "; the kernels have 64 and 128"));
}

template <DType kType>
constexpr CudaKernel Attention(std::string_view name) {
  CudaKernel kernel = Kernel(name, &ops::kAttention, Accepts<kType>, Modules, LaunchAttention);
  kernel.info.workspace_bytes = Workspace;
  kernel.info.rounds_activations = kType != DType::kF32;
  return kernel;
}

constexpr CudaKernel kTable[] = {Attention<DType::kF32>("attention_f32_cuda"),
                                 Attention<DType::kF16>("attention_f16_cuda"),
                                 Attention<DType::kQ8_0>("attention_q8_0_cuda")};

}  // namespace

std::span<const CudaKernel> AttentionTable() { return kTable; }

}  // namespace infer::cuda
