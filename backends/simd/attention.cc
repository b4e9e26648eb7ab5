// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/attention.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "backends/scalar/partitions.h"
#include "backends/simd/attention_units.h"
#include "backends/simd/isa/attention_kernels.h"
#include "backends/simd/levels/choose_level.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::simd {
namespace {

// The q, cache and batch of a call, accessed by key/value head.
class Attention {
 public:
  explicit Attention(const KernelArgs& args)
      : args_(args),
        kernels_(args.constants<AttentionKernels>()),
        kv_(args.inputs[1].kv),
        head_dim_(args.in(0).dim(2)),
        group_heads_(args.in(0).dim(1) / kv_.kv_heads),
        units_(*args.batch, kv_.kv_heads) {}

  const AttentionUnits& units() const { return units_; }

  void Run(int64_t begin, int64_t end) const {
    AttentionCursor cursor = units_.From(begin);
    for (int64_t i = begin; i < end; ++i) RunUnit(cursor.Next());
  }

  // Merges the parts of each token and key/value head in ascending order of positions.
  void Merge(int64_t begin, int64_t end) const {
    AttentionCursor cursor = units_.MergesFrom(begin);
    for (int64_t i = begin; i < end; ++i) {
      const AttentionUnit unit = cursor.Next();
      const AttentionCall call = Call(unit);
      const AttentionPart first = Part(unit.part);
      for (int64_t k = 1; k < unit.parts; ++k) {
        kernels_.merge(call, Part(unit.part + k), first);
      }
      for (int64_t head = 0; head < group_heads_; ++head) {
        Divide(first.out + head * head_dim_, first.sum[head], call.out + head * head_dim_);
      }
    }
  }

 private:
  // The floats of a partial result of one token: the largest score and the sum of each query head,
  // then head_dim sums of each.
  int64_t part_floats() const { return group_heads_ * (head_dim_ + 2); }

  AttentionPart Part(int64_t part) const {
    return PartAt(reinterpret_cast<float*>(args_.workspace) + part * part_floats(), 1);
  }

  AttentionPart PartAt(float* at, int64_t tokens) const {
    const int64_t rows = tokens * group_heads_;
    return {at, at + rows, at + 2 * rows, group_heads_ * head_dim_};
  }

  float* Out(const AttentionUnit& unit) const {
    return args_.out().mutable_f32() + unit.token * args_.out().stride() +
           unit.kv_head * group_heads_ * head_dim_;
  }

  AttentionCall Call(const AttentionUnit& unit) const {
    const size_t head = kv_.Offset(0, static_cast<int32_t>(unit.kv_head));
    const int64_t q_stride = args_.in(0).dim(1) * head_dim_;
    return {
        .q = args_.in(0).f32() + unit.token * q_stride + unit.kv_head * group_heads_ * head_dim_,
        .q_stride = q_stride,
        .tokens = unit.tokens,
        .group_heads = group_heads_,
        .head_dim = head_dim_,
        .cache = {.k = kv_.k + head,
                  .v = kv_.v + head,
                  .block_stride_bytes = kv_.Offset(kv_.block_positions, 0),
                  .block_table = args_.batch->sequences[unit.sequence].block_table.data(),
                  .block_positions = kv_.block_positions,
                  .dtype = kv_.dtype},
        .first_visible = args_.batch->token_pos[unit.token],
        .scale = static_cast<float>(args_.attr<double>(0)),
        .out = Out(unit),
        .out_stride = args_.out().stride(),
        .scratch = args_.scratch};
  }

  void RunUnit(const AttentionUnit& unit) const {
    const AttentionCall call = Call(unit);
    if (unit.parts > 1) return kernels_.range(call, unit.begin, unit.end, Part(unit.part));
    const int64_t count = args_.batch->sequences[unit.sequence].count;
    if (kernels_.many != nullptr && count >= kernels_.many_from) return kernels_.many(call);
    RunWhole(call, unit.end);
  }

  // All positions that the tokens see, chunk after chunk: the same sums as of divided tokens.
  void RunWhole(const AttentionCall& call, int64_t end) const {
    const int64_t rows = call.tokens * group_heads_;
    auto* memory = reinterpret_cast<float*>(
        args_.scratch + AttentionScratchBound(call.tokens, group_heads_, head_dim_));
    const AttentionPart sums = {memory, memory + rows, call.out, call.out_stride};
    const AttentionPart part = PartAt(memory + 2 * rows, call.tokens);
    for (int64_t chunk = 0; ChunkBegin(chunk) < end; ++chunk) {
      const int64_t last = std::min(ChunkBegin(chunk + 1), end);
      kernels_.range(call, ChunkBegin(chunk), last, chunk == 0 ? sums : part);
      if (chunk > 0) kernels_.merge(call, part, sums);
    }
    for (int64_t row = 0; row < rows; ++row) {
      float* out = call.out + row / group_heads_ * call.out_stride + row % group_heads_ * head_dim_;
      Divide(out, sums.sum[row], out);
    }
  }

  void Divide(const float* sums, float sum, float* out) const {
    const float factor = sum == 0 ? 0 : 1 / sum;
    for (int64_t d = 0; d < head_dim_; ++d) out[d] = sums[d] * factor;
  }

 public:
  static constexpr int64_t kMaxGroupHeads = 64;

 private:
  const KernelArgs& args_;
  const AttentionKernels& kernels_;
  const KvView& kv_;
  int64_t head_dim_;
  int64_t group_heads_;
  AttentionUnits units_;
};

struct AttentionShape {
  int64_t kv_heads;
  int64_t group_heads;
  int64_t head_dim;
};

AttentionShape ShapeOf(const Node& node) {
  const ValueType& q = node.input(0).type();
  const int64_t kv_heads = node.input(1).type().dim(0).value();
  return {kv_heads, q.dim(1).value() / kv_heads, q.dim(2).value()};
}

// As of products: the fastest attention of the level, and one whose bits do not depend on the
// tokens.
enum class Kind : uint8_t { kFast, kInvariant };

const AttentionKernels* KernelsFor(DType cache, Kind kind) {
  const Level& level = *ChosenLevel().level;
  if (kind == Kind::kFast) return level.attention(cache);
  return level.attention_invariant == nullptr ? nullptr : level.attention_invariant(cache);
}

template <DType kType, Kind kKind>
std::string AttentionNumerics(const Node&, Range rows) {
  const AttentionKernels* kernels = KernelsFor(kType, kKind);
  if (kernels->many != nullptr && rows.max >= kernels->many_from) return {};
  return StrCat(ChosenLevel().level->name, " ", kernels->rounds_to, " chunks");
}

// Tiles compute each row by itself.
template <DType kType, Kind kKind>
int64_t NumericsFrom(const Node&) {
  return KernelsFor(kType, kKind)->many_from;
}

template <DType kType, Kind kKind>
Decision Accepts(const Node& node) {
  const DType found = node.input(1).type().tensor.dtype;
  if (found != kType) {
    return Decision::Reject(StrCat("cache is ", Name(found), "; this kernel reads ", Name(kType)));
  }
  const Level* level = ChosenLevel().level;
  if (level == nullptr) return Decision::Reject(ChosenLevel().reason);
  if (kKind == Kind::kInvariant && level->attention_invariant == nullptr) {
    return Decision::Reject(StrCat("the other attention of level ", level->name,
                                   " does not depend on the number of rows either"));
  }
  if (KernelsFor(kType, kKind) == nullptr) {
    return Decision::Reject(
        StrCat("level ", level->name, " has no attention over a cache of ", Name(kType)));
  }
  const AttentionShape shape = ShapeOf(node);
  const int64_t granule = std::max<int64_t>(8, Info(kType).block_elements);
  if (shape.head_dim % granule != 0) {
    return Decision::Reject(StrCat("head_dim is ", shape.head_dim, "; with a cache of ",
                                   Name(kType), " this kernel takes multiples of ", granule));
  }
  if (shape.group_heads > Attention::kMaxGroupHeads) {
    return Decision::Reject(StrCat(shape.group_heads, " query heads share a key/value head; this ",
                                   "kernel takes at most ", Attention::kMaxGroupHeads));
  }
  return Decision::Accept();
}

// Partial results, whatever the context.
uint64_t AttentionWorkspace(const Node& node, const SymbolRanges& symbols) {
  const AttentionShape shape = ShapeOf(node);
  const int64_t tokens = node.input(0).type().dim(0).At(symbols.Highest());
  const int64_t parts = std::min(tokens * kMaxPartsOfToken, kMaxParts);
  return sizeof(float) * parts * shape.kv_heads * shape.group_heads * (shape.head_dim + 2);
}

uint64_t AttentionScratch(const Node& node, const SymbolRanges& symbols) {
  const AttentionShape shape = ShapeOf(node);
  const int64_t tokens = node.input(0).type().dim(0).At(symbols.Highest());
  const int64_t block = std::min(tokens, kTokenBlock);
  const int64_t rows = block * shape.group_heads;
  return AttentionScratchBound(block, shape.group_heads, shape.head_dim) +
         sizeof(float) * rows * (4 + shape.head_dim);  // sums so far, and those of a chunk
}

template <DType kType, Kind kKind>
constexpr CpuKernel Row(std::string_view name) {
  return {
      .info = {.name = name,
               .op = &ops::kAttention,
               .target = Target::kSimd,
               .accepts = Accepts<kType, kKind>,
               .partition = partitions::KvHeadsFromAny,
               .strided_rows = true,
               .numerics = AttentionNumerics<kType, kKind>,
               .numerics_from = NumericsFrom<kType, kKind>,
               .workspace_bytes = AttentionWorkspace,
               .scratch_bytes = AttentionScratch},
      .run = [](const KernelArgs& args, int64_t begin,
                int64_t end) { Attention(args).Run(begin, end); },
      .units = [](const KernelArgs& args) { return Attention(args).units().count(); },
      .finish = {.run = [](const KernelArgs& args, int64_t begin,
                           int64_t end) { Attention(args).Merge(begin, end); },
                 .units = [](const KernelArgs& args) { return Attention(args).units().merges(); }},
      .bind = [](const Node&) -> std::shared_ptr<const void> {
        return {std::shared_ptr<const void>(), KernelsFor(kType, kKind)};
      }};
}

constexpr CpuKernel kAttentionTable[] = {
    Row<DType::kF32, Kind::kFast>("attention_f32_simd"),
    Row<DType::kF16, Kind::kFast>("attention_f16_simd"),
    Row<DType::kQ8_0, Kind::kFast>("attention_q8_0_simd"),
    Row<DType::kF32, Kind::kInvariant>("attention_f32_invariant_simd"),
    Row<DType::kF16, Kind::kInvariant>("attention_f16_invariant_simd"),
    Row<DType::kQ8_0, Kind::kInvariant>("attention_q8_0_invariant_simd")};

}  // namespace

std::span<const CpuKernel> AttentionTable() { return kAttentionTable; }

// In f32, Q and the sums of the result of all rows; a block of 512 positions in 16 bits; the
// weights of 192 rows for it.
uint64_t AttentionScratchBound(int64_t tokens, int64_t group_heads, int64_t head_dim) {
  const uint64_t rows = static_cast<uint64_t>(tokens * group_heads + 15) / 16 * 16;
  const uint64_t dim = static_cast<uint64_t>(head_dim + 15) / 16 * 16;
  return rows * (dim * 8 + 64) + dim * 2304 + (256 << 10);
}

}  // namespace infer::simd
