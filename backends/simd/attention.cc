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
      for (int64_t head = 0; head < group_heads_; ++head) MergeHead(unit, head);
    }
  }

 private:
  // Floats of a partial result: per query head the largest score, the sum and head_dim sums.
  int64_t part_floats() const { return group_heads_ * (head_dim_ + 2); }

  AttentionPart Part(int64_t part) const {
    float* at = reinterpret_cast<float*>(args_.workspace) + part * part_floats();
    return {at, at + group_heads_, at + 2 * group_heads_};
  }

  float* Out(const AttentionUnit& unit) const {
    return args_.out().mutable_f32() + unit.token * args_.out().columns() +
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
        .out_stride = args_.out().columns(),
        .scratch = args_.scratch};
  }

  void RunUnit(const AttentionUnit& unit) const {
    const AttentionKernels& kernels = args_.constants<AttentionKernels>();
    const AttentionCall call = Call(unit);
    if (unit.tokens > 1) return kernels.prefill(call);
    if (unit.chunks > 1) return kernels.decode(call, unit.begin, unit.end, Part(unit.part));
    // This is the only part, so its sums go directly to the result.
    float max[kMaxGroupHeads], sum[kMaxGroupHeads];
    kernels.decode(call, unit.begin, unit.end, {max, sum, call.out});
    for (int64_t head = 0; head < group_heads_; ++head) {
      const float factor = sum[head] == 0 ? 0 : 1 / sum[head];
      for (int64_t d = 0; d < head_dim_; ++d) call.out[head * head_dim_ + d] *= factor;
    }
  }

  void MergeHead(const AttentionUnit& unit, int64_t head) const {
    float max = Part(unit.part).max[head];
    for (int64_t i = 1; i < unit.chunks; ++i) {
      const float other = Part(unit.part + i).max[head];
      max = std::isnan(other) ? other : std::max(max, other);
    }
    float* out = Out(unit) + head * head_dim_;
    std::fill_n(out, head_dim_, 0.0f);
    float sum = 0;
    for (int64_t i = 0; i < unit.chunks; ++i) {
      const AttentionPart part = Part(unit.part + i);
      const float weight = std::exp2(part.max[head] - max);
      sum += weight * part.sum[head];
      const float* from = part.out + head * head_dim_;
      for (int64_t d = 0; d < head_dim_; ++d) out[d] += weight * from[d];
    }
    const float factor = sum == 0 ? 0 : 1 / sum;
    for (int64_t d = 0; d < head_dim_; ++d) out[d] *= factor;
  }

 public:
  static constexpr int64_t kMaxGroupHeads = 64;

 private:
  const KernelArgs& args_;
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

template <DType kType>
Decision Accepts(const Node& node) {
  const DType found = node.input(1).type().tensor.dtype;
  if (found != kType) {
    return Decision::Reject(StrCat("cache is ", Name(found), "; this kernel reads ", Name(kType)));
  }
  const Level* level = ChosenLevel().level;
  if (level == nullptr) return Decision::Reject(ChosenLevel().reason);
  if (level->attention(kType) == nullptr) {
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

// Partial results, at most kMaxChunks per token and kMaxParts in total.
uint64_t WorkspaceBytes(const Node& node, const SymbolRanges& symbols) {
  const AttentionShape shape = ShapeOf(node);
  const int64_t tokens = node.input(0).type().dim(0).At(symbols.Highest());
  const int64_t parts = std::min(tokens * kMaxChunks, kMaxParts);
  return sizeof(float) * parts * shape.kv_heads * shape.group_heads * (shape.head_dim + 2);
}

uint64_t ScratchBytes(const Node& node, const SymbolRanges& symbols) {
  const AttentionShape shape = ShapeOf(node);
  const int64_t tokens = node.input(0).type().dim(0).At(symbols.Highest());
  return AttentionScratchBound(std::min(tokens, kTokenBlock), shape.group_heads, shape.head_dim);
}

template <DType kType>
constexpr CpuKernel Row(std::string_view name) {
  return {
      .info = {.name = name,
               .op = &ops::kAttention,
               .target = Target::kSimd,
               .accepts = Accepts<kType>,
               .partition = partitions::KvHeadsFromAny,
               .workspace_bytes = WorkspaceBytes,
               .scratch_bytes = ScratchBytes},
      .run = [](const KernelArgs& args, int64_t begin,
                int64_t end) { Attention(args).Run(begin, end); },
      .units = [](const KernelArgs& args) { return Attention(args).units().count(); },
      .finish = {.run = [](const KernelArgs& args, int64_t begin,
                           int64_t end) { Attention(args).Merge(begin, end); },
                 .units = [](const KernelArgs& args) { return Attention(args).units().merges(); }},
      .bind = [](const Node&) -> std::shared_ptr<const void> {
        return {std::shared_ptr<const void>(), ChosenLevel().level->attention(kType)};
      }};
}

constexpr CpuKernel kTable[] = {Row<DType::kF32>("attention_f32_simd"),
                                Row<DType::kF16>("attention_f16_simd"),
                                Row<DType::kQ8_0>("attention_q8_0_simd")};

}  // namespace

std::span<const CpuKernel> AttentionTable() { return kTable; }

// In f32, Q and the sums of the result of all rows; a block of 512 positions in 16 bits; the
// weights of 192 rows for it.
uint64_t AttentionScratchBound(int64_t tokens, int64_t group_heads, int64_t head_dim) {
  const uint64_t rows = static_cast<uint64_t>(tokens * group_heads + 15) / 16 * 16;
  const uint64_t dim = static_cast<uint64_t>(head_dim + 15) / 16 * 16;
  return rows * (dim * 8 + 64) + dim * 2304 + (256 << 10);
}

}  // namespace infer::simd
