// SPDX-License-Identifier: Apache-2.0
//
// attention: sequences with few tokens in the call by parts of their history, sequences with many
// by tiles on tensor cores, one launch for each such sequence. self_attention: one launch for a
// call of one token, else attention_inputs and attention. Invariant kernels always take parts of
// the history, as many as its length says.
#include <algorithm>
#include <bit>

#include "backends/cuda/head_launches.h"
#include "backends/cuda/kernel_rows.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::cuda {
namespace {

// Above this many tokens, the tokens alone keep the card busy, and blocks without a part of a
// history would cost more than short parts gain.
constexpr int64_t kSplitTokens = 8;
constexpr uint32_t kFewSplits = 4;
// Tokens of a launch whose histories always have all parts: the partial results need memory.
constexpr int64_t kInvariantTokens = 32;

uint32_t SplitsOf(int64_t tokens) {
  return tokens <= kSplitTokens ? uint32_t{kAttentionSplits} : kFewSplits;
}

int64_t GroupOf(int64_t heads, int64_t kv_heads) {
  const int64_t group = heads / kv_heads;
  return group % 4 == 0 ? 4 : group % 2 == 0 ? 2 : 1;
}

int64_t MostTokens(const SymbolRanges& symbols) {
  return symbols[Symbol::kT].is_set() ? symbols[Symbol::kT].max : 1;
}

// Not monotone in the tokens: fewer of them may have more parts.
uint64_t MostPartialBytes(int64_t tokens, int64_t heads, int64_t head_dim) {
  const int64_t parts = std::max(tokens * int64_t{kFewSplits},
                                 std::min(tokens, kInvariantTokens) * int64_t{kAttentionSplits});
  return static_cast<uint64_t>(parts * heads * (head_dim + 2)) * sizeof(float);
}

uint64_t AttentionWorkspace(const Node& node, const SymbolRanges& symbols) {
  const ValueType& q = node.input(0).type();
  return MostPartialBytes(MostTokens(symbols), q.dim(1).value(), q.dim(2).value());
}

// The rotated q of calls of several tokens.
uint64_t QueryBytes(int64_t tokens, int64_t heads, int64_t head_dim) {
  return static_cast<uint64_t>(tokens * heads * head_dim) * sizeof(float);
}

uint64_t SelfWorkspace(const Node& node, const SymbolRanges& symbols) {
  const int64_t head_dim = node.input(0).type().dim(1).value();
  const int64_t heads = node.input(1).type().dim(1).value() / head_dim;
  const int64_t most = MostTokens(symbols);
  return QueryBytes(most, heads, head_dim) + MostPartialBytes(most, heads, head_dim);
}

void AddVector(DType cache, AttentionArgs args, int64_t head_dim, int64_t first, int64_t tokens,
               std::vector<Launch>& out) {
  const int64_t group = GroupOf(args.heads, args.kv_heads);
  // A counter for each token and head. Launches run one after the other, so all use the same
  // counters and partial results.
  const int64_t most = std::min<int64_t>(
      kCounters / args.heads, args.splits == kAttentionSplits ? kInvariantTokens : tokens);
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
      static_cast<uint64_t>(kTileQueries + 4 * kTileKeys) * static_cast<uint64_t>(head_dim + 8) * 2;
  AddLaunch("attention_tile", StrCat("attention_tile_", Name(cache), "_d", head_dim), args,
            {CeilDiv(sequence.count, kTileQueries), args.heads}, kTileThreads, shared, out);
}

AttentionArgs ArgsOf(const KvView& kv, const float* q, int64_t tokens, int64_t heads,
                     const DeviceBatch& batch, float scale, float* result, std::byte* partials) {
  AttentionArgs args = {};
  args.out = result;
  args.q = q;
  args.k_cache = reinterpret_cast<const unsigned char*>(kv.k);
  args.v_cache = reinterpret_cast<const unsigned char*>(kv.v);
  args.token_pos = batch.token_pos;
  args.token_table = batch.token_table;
  args.block_tables = batch.block_tables;
  args.partials = reinterpret_cast<float*>(partials);
  args.counters = batch.counters;
  args.tokens = static_cast<uint32_t>(tokens);
  args.heads = static_cast<uint32_t>(heads);
  args.kv_heads = static_cast<uint32_t>(kv.kv_heads);
  args.block_positions = static_cast<uint32_t>(kv.block_positions);
  args.splits = SplitsOf(tokens);
  args.scale = scale;
  return args;
}

// All tokens of the call.
void AddAttention(const KvView& kv, const AttentionArgs& common, const DeviceBatch& batch,
                  std::vector<Launch>& out) {
  const int64_t tokens = common.tokens;
  // Tiles round to f16, which an f32 cache is not for.
  int64_t first = 0;  // of the tokens before a sequence with tiles
  if (kv.dtype != DType::kF32) {
    for (const BatchSequence& sequence : batch.host->sequences) {
      if (sequence.count < kPromptTokens) continue;
      AddVector(kv.dtype, common, kv.head_dim, first, sequence.first_token - first, out);
      AddTiles(kv.dtype, common, kv.head_dim, sequence, out);
      first = sequence.first_token + sequence.count;
    }
  }
  AddVector(kv.dtype, common, kv.head_dim, first, tokens - first, out);
}

// The same with bits that depend on the history of a token alone.
void AddInvariantAttention(const KvView& kv, AttentionArgs args, std::vector<Launch>& out) {
  args.splits = kAttentionSplits;
  AddVector(kv.dtype, args, kv.head_dim, 0, args.tokens, out);
}

template <bool kInvariant>
void LaunchAttention(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  const TensorView& q = args.in(0);
  const KvView& kv = args.inputs[1].kv;
  const AttentionArgs attention = ArgsOf(kv, q.f32(), q.dim(0), q.dim(1), batch,
                                         static_cast<float>(ops::AttentionScale(args.attrs)),
                                         args.out().mutable_f32(), args.workspace);
  kInvariant ? AddInvariantAttention(kv, attention, out) : AddAttention(kv, attention, batch, out);
}

// Bytes of a step of a piece of the history: k and v for each thread.
uint64_t StepBytes(DType cache) {
  const uint64_t of_lane = cache == DType::kF32 ? 32 : cache == DType::kF16 ? 16 : 0;
  return 2 * of_lane * kAttentionThreads;
}

void AddSelfAttention(const KvView& kv, const HeadArgs& heads, const AttentionArgs& attention,
                      std::vector<Launch>& out) {
  const int64_t heads_of_kv = attention.heads / attention.kv_heads;
  // Two heads at most: more blocks are worth more than reading keys once.
  const int64_t group = heads_of_kv % 2 == 0 ? 2 : 1;
  // floor(p / n) as a product: exact for p < 2^30, because the factor has 31 bits.
  const auto positions = static_cast<uint64_t>(kv.block_positions);
  const int shift = 31 + std::bit_width(positions) - 1;
  const SelfAttentionArgs args = {
      .heads = heads,
      .attention = attention,
      .heads_of_kv = static_cast<uint32_t>(heads_of_kv),
      .groups_of_kv = static_cast<uint32_t>(heads_of_kv / group),
      .block_factor = static_cast<uint32_t>((uint64_t{1} << shift) / positions + 1),
      .block_shift = static_cast<uint32_t>(shift)};
  const uint64_t floats = static_cast<uint64_t>(kAttentionThreads / 32 * group * (kv.head_dim + 2) +
                                                (group + 3) * kv.head_dim);
  const uint64_t ring = kAttentionStages * kAttentionSteps * StepBytes(kv.dtype);
  AddLaunch("self_attention",
            StrCat("self_attention_", Name(kv.dtype), "_d", kv.head_dim, "_g", group), args,
            {attention.splits, static_cast<uint32_t>(attention.heads / group)}, kAttentionThreads,
            floats * sizeof(float) + ring, out);
}

template <bool kInvariant>
void LaunchSelfAttention(const KernelArgs& args, const DeviceBatch& batch,
                         std::vector<Launch>& out) {
  const KvView& kv = args.inputs[0].kv;
  const TensorView& rows = args.in(1);
  const int64_t tokens = rows.dim(0), heads = rows.dim(1) / kv.head_dim;
  const auto eps = static_cast<float>(ops::NormRopeOf(args.attrs.subspan(1)).eps);
  const auto scale = static_cast<float>(ops::AttentionScale(args.attrs));
  auto* q = reinterpret_cast<float*>(args.workspace);
  std::byte* partials = args.workspace + QueryBytes(tokens, heads, kv.head_dim);
  const HeadArgs inputs = InputHeads(args, batch, eps, q);
  const AttentionArgs attention =
      ArgsOf(kv, q, tokens, heads, batch, scale, args.out(1).mutable_f32(), partials);
  if (tokens == 1 && !kInvariant) {
    AddSelfAttention(kv, inputs, attention, out);
    return;
  }
  AddAttentionInputs(inputs, kv.dtype, out);
  kInvariant ? AddInvariantAttention(kv, attention, out) : AddAttention(kv, attention, batch, out);
}

void AttentionModules(const Node&, std::vector<std::string_view>& out) {
  out.push_back("attention_vector");
  out.push_back("attention_tile");
}
void SelfModules(const Node& node, std::vector<std::string_view>& out) {
  AttentionModules(node, out);
  out.push_back("heads");
  out.push_back("self_attention");
}

// `kInput`: which is the cache.
template <DType kType, int kInput>
Decision AcceptsAttention(const Node& node) {
  const ValueType& kv = node.input(kInput).type();
  const int64_t head_dim = kv.dim(1).value();
  if (kv.tensor.dtype != kType) {
    return Decision::Reject(
        StrCat("cache is ", Name(kv.tensor.dtype), "; this kernel reads ", Name(kType)));
  }
  if (head_dim == 64 || head_dim == 128) return Decision::Accept();
  return Decision::Reject(StrCat("heads of ", head_dim, "; the kernels have 64 and 128"));
}

template <DType kType, bool kInvariant>
constexpr CudaKernel Common(CudaKernel kernel, decltype(KernelInfo::workspace_bytes) workspace) {
  kernel.info.workspace_bytes = workspace;
  kernel.info.rounds_activations = kType != DType::kF32 && !kInvariant;
  if (kInvariant) kernel.info.numerics = [](const Node&, Range) { return std::string("parts"); };
  return kernel;
}

template <DType kType, bool kInvariant = false>
constexpr CudaKernel Attention(std::string_view name) {
  return Common<kType, kInvariant>(Kernel(name, &ops::kAttention, AcceptsAttention<kType, 1>,
                                          AttentionModules, LaunchAttention<kInvariant>),
                                   AttentionWorkspace);
}

template <DType kType, bool kInvariant = false>
constexpr CudaKernel SelfAttention(std::string_view name) {
  return Common<kType, kInvariant>(
      Kernel(name, &ops::kSelfAttention, AcceptsAttention<kType, 0>, SelfModules,
             LaunchSelfAttention<kInvariant>, BindSelfAttention),
      SelfWorkspace);
}

constexpr CudaKernel kAttentionTable[] = {
    Attention<DType::kF32>("attention_f32_cuda"),
    Attention<DType::kF16>("attention_f16_cuda"),
    Attention<DType::kQ8_0>("attention_q8_0_cuda"),
    SelfAttention<DType::kF32>("self_attention_f32_cuda"),
    SelfAttention<DType::kF16>("self_attention_f16_cuda"),
    SelfAttention<DType::kQ8_0>("self_attention_q8_0_cuda"),
    Attention<DType::kF32, true>("attention_f32_invariant_cuda"),
    Attention<DType::kF16, true>("attention_f16_invariant_cuda"),
    Attention<DType::kQ8_0, true>("attention_q8_0_invariant_cuda"),
    SelfAttention<DType::kF32, true>("self_attention_f32_invariant_cuda"),
    SelfAttention<DType::kF16, true>("self_attention_f16_invariant_cuda"),
    SelfAttention<DType::kQ8_0, true>("self_attention_q8_0_invariant_cuda")};

}  // namespace

std::span<const CudaKernel> AttentionTable() { return kAttentionTable; }

}  // namespace infer::cuda
