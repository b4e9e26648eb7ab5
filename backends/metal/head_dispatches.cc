// SPDX-License-Identifier: Apache-2.0
//
// rope, qk_norm_rope, kv_write and attention_inputs.
#include "backends/metal/cache_bytes.h"
#include "backends/metal/dispatch_builder.h"
#include "backends/metal/kernel_rows.h"
#include "backends/scalar/accepts.h"
#include "backends/scalar/rope_angles.h"
#include "ir/base/strings.h"
#include "shaders/args.h"

namespace infer::metal {
namespace {

constexpr int64_t kPairThreads = 64;     // along the pairs of rope
constexpr int64_t kHeadsOfGroup = 4;     // one simdgroup each
constexpr int64_t kMaxHeadDim = 512;     // 4 such heads use 8 KiB of threadgroup memory
constexpr int64_t kFlopsPerElement = 7;  // a norm and a rotation

Decision RotatesHeads(const Node& node) {
  // The heads are the last result: q of attention_inputs comes after its cache.
  const int64_t head_dim = node.result(node.num_results() - 1).type.dim(-1).value();
  if (head_dim > kMaxHeadDim) {
    return Decision::Reject(
        StrCat("heads of ", head_dim, "; this kernel rotates heads of up to ", kMaxHeadDim));
  }
  return node.input(0).type().is_tensor() ? scalar::AllF32(node) : Decision::Accept();
}

Decision CacheIs(const Node& node, DType dtype) {
  const ValueType& kv = node.input(0).type();
  const int64_t head_dim = kv.dim(1).value();
  if (kv.tensor.dtype == dtype && head_dim % Info(dtype).block_elements != 0) {
    return Decision::Reject(StrCat("heads of ", head_dim, " are not a multiple of ",
                                   Info(dtype).block_elements, ", the ", Name(dtype),
                                   " block size"));
  }
  if (head_dim > kMaxHeadDim) {
    return Decision::Reject(
        StrCat("heads of ", head_dim, "; this kernel stores heads of up to ", kMaxHeadDim));
  }
  return scalar::InputIs(node, 0, dtype);
}

template <DType kType>
Decision StoresInto(const Node& node) {
  return CacheIs(node, kType);
}

template <DType kType>
Decision RotatesInto(const Node& node) {
  Decision decision = CacheIs(node, kType);
  return decision.accepted() ? RotatesHeads(node) : decision;
}

shader::HeadArgs RotationArgs(int64_t tokens, int64_t heads, int64_t head_dim,
                              const ops::RopeParams& rope) {
  return {.tokens = static_cast<uint32_t>(tokens),
          .heads = static_cast<uint32_t>(heads),
          .kv_heads = 0,
          .head_dim = static_cast<uint32_t>(head_dim),
          .block_positions = 0,
          .eps = 0,
          .magnitude = static_cast<float>(scalar::RopeMagnitude(rope)),
          .adjacent = rope.adjacent ? 1u : 0u};
}

// One simdgroup for each of `heads` heads of each token.
Grid HeadGroups(int64_t tokens, int64_t heads) { return {CeilDiv(tokens * heads, kHeadsOfGroup)}; }
constexpr Grid kHeadThreads = {32 * kHeadsOfGroup};

// Computes the angle of each pair of a head for one position, as the scalar kernels do. The
// attributes of the rotation begin at `kFirstAttr`.
template <int kFirstAttr, int kResult>
std::shared_ptr<const void> BindAngles(const Node& node) {
  const ops::RopeParams rope = ops::RopeParamsOf(node.attrs().subspan(kFirstAttr));
  const int64_t head_dim = node.result(kResult).type.dim(2).value();
  auto angles = std::make_shared<std::vector<float>>();
  for (int64_t pair = 0; pair < head_dim / 2; ++pair) {
    angles->push_back(scalar::AnglePerPosition(rope, head_dim, pair));
  }
  return angles;
}

uint64_t VectorBytes(int64_t head_dim) { return kHeadsOfGroup * head_dim * sizeof(float); }

PipelineKey RopeKey() { return {"rope", "rope_f32", {}, kPairThreads}; }

void RopePipelines(const Node&, const SymbolRanges&, const DeviceClass&,
                   std::vector<PipelineKey>& out) {
  out.push_back(RopeKey());
}

void DispatchRope(const KernelArgs& args, const DeviceBatch& batch, const DeviceClass&,
                  std::vector<Dispatch>& out) {
  const TensorView& x = args.in(0);
  const ops::RopeParams rope = ops::RopeParamsOf(args.attrs);
  const int64_t head_dim = x.dim(2);
  DispatchBuilder(RopeKey(), RotationArgs(x.dim(0), x.dim(1), head_dim, rope))
      .Behind(args.constants<std::vector<float>>())
      .Reads(x)
      .Reads(batch.token_pos, sizeof(int32_t) * x.dim(0))
      .Writes(args.out())
      .Flops(3 * x.elements())
      .Over({CeilDiv(x.dim(1) * head_dim / 2, kPairThreads), static_cast<uint32_t>(x.dim(0))},
            {kPairThreads}, out);
}

PipelineKey QkNormRopeKey() { return {"rope", "qk_norm_rope_f32", {}, kHeadThreads.x}; }

void QkNormRopePipelines(const Node&, const SymbolRanges&, const DeviceClass&,
                         std::vector<PipelineKey>& out) {
  out.push_back(QkNormRopeKey());
}

void DispatchQkNormRope(const KernelArgs& args, const DeviceBatch& batch, const DeviceClass&,
                        std::vector<Dispatch>& out) {
  const TensorView& q = args.out(0);
  const TensorView& k = args.out(1);
  const auto [eps, rope] = ops::NormRopeOf(args.attrs);
  const int64_t tokens = q.dim(0);
  shader::HeadArgs arguments = RotationArgs(tokens, q.dim(1), q.dim(2), rope);
  arguments.kv_heads = static_cast<uint32_t>(k.dim(1));
  arguments.eps = static_cast<float>(eps);
  DispatchBuilder(QkNormRopeKey(), arguments)
      .Behind(args.constants<std::vector<float>>())
      .Reads(args.in(0))
      .Reads(args.in(1))
      .Reads(args.in(2))
      .Reads(args.in(3))
      .Reads(batch.token_pos, sizeof(int32_t) * tokens)
      .Writes(q)
      .Writes(k)
      .Flops(kFlopsPerElement * (q.elements() + k.elements()))
      .Over(HeadGroups(tokens, q.dim(1) + k.dim(1)), kHeadThreads, out);
}

// The functions for each cache type.
struct CacheWriteFunctions {
  DType dtype;
  std::string_view kv_write;
  std::string_view attention_inputs;
};
constexpr CacheWriteFunctions kCacheWriteFunctions[] = {
    {DType::kF32, "kv_write_f32", "attention_inputs_f32"},
    {DType::kF16, "kv_write_f16", "attention_inputs_f16"},
    {DType::kQ8_0, "kv_write_q8_0", "attention_inputs_q8_0"},
};

PipelineKey CacheKey(DType dtype, std::string_view CacheWriteFunctions::* function) {
  for (const CacheWriteFunctions& row : kCacheWriteFunctions) {
    if (row.dtype == dtype) return {"kv_write", row.*function, {}, kHeadThreads.x};
  }
  return {};
}

template <std::string_view CacheWriteFunctions::* kFunction>
void CachePipelines(const Node& node, const SymbolRanges&, const DeviceClass&,
                    std::vector<PipelineKey>& out) {
  out.push_back(CacheKey(node.input(0).type().tensor.dtype, kFunction));
}

void DispatchKvWrite(const KernelArgs& args, const DeviceBatch& batch, const DeviceClass&,
                     std::vector<Dispatch>& out) {
  const KvView& kv = args.inputs[0].kv;
  const int64_t tokens = args.in(1).dim(0);
  shader::HeadArgs arguments = RotationArgs(tokens, 0, kv.head_dim, {});
  arguments.kv_heads = static_cast<uint32_t>(kv.kv_heads);
  arguments.block_positions = static_cast<uint32_t>(kv.block_positions);
  const uint64_t cache = WrittenCacheBytes(kv, *args.batch);
  DispatchBuilder(CacheKey(kv.dtype, &CacheWriteFunctions::kv_write), arguments)
      .Reads(args.in(1))
      .Reads(args.in(2))
      .Reads(batch.token_slot, sizeof(int32_t) * tokens)
      .Writes(kv.k, cache)
      .Writes(kv.v, cache)
      .Threadgroup(VectorBytes(kv.head_dim))
      .Over(HeadGroups(tokens, 2 * kv.kv_heads), kHeadThreads, out);
}

void DispatchAttentionInputs(const KernelArgs& args, const DeviceBatch& batch, const DeviceClass&,
                             std::vector<Dispatch>& out) {
  const KvView& kv = args.inputs[0].kv;
  const TensorView& q = args.out(1);
  const auto [eps, rope] = ops::NormRopeOf(args.attrs);
  const int64_t tokens = q.dim(0);
  shader::HeadArgs arguments = RotationArgs(tokens, q.dim(1), kv.head_dim, rope);
  arguments.kv_heads = static_cast<uint32_t>(kv.kv_heads);
  arguments.block_positions = static_cast<uint32_t>(kv.block_positions);
  arguments.eps = static_cast<float>(eps);
  const uint64_t cache = WrittenCacheBytes(kv, *args.batch);
  DispatchBuilder dispatch(CacheKey(kv.dtype, &CacheWriteFunctions::attention_inputs), arguments);
  dispatch.Behind(args.constants<std::vector<float>>());
  for (int i = 1; i <= 5; ++i) dispatch.Reads(args.in(i));  // q, k, v and both norms
  dispatch.Reads(batch.token_pos, sizeof(int32_t) * tokens)
      .Reads(batch.token_slot, sizeof(int32_t) * tokens)
      .Writes(q)
      .Writes(kv.k, cache)
      .Writes(kv.v, cache)
      .Threadgroup(VectorBytes(kv.head_dim))
      .Flops(kFlopsPerElement * (q.elements() + args.in(2).elements()))
      .Over(HeadGroups(tokens, q.dim(1) + 2 * kv.kv_heads), kHeadThreads, out);
}

template <DType kType>
constexpr MetalKernel KvWrite(std::string_view name) {
  return Kernel(name, &ops::kKvWrite, StoresInto<kType>,
                CachePipelines<&CacheWriteFunctions::kv_write>, DispatchKvWrite);
}
template <DType kType>
constexpr MetalKernel AttentionInputs(std::string_view name) {
  return Kernel(name, &ops::kAttentionInputs, RotatesInto<kType>,
                CachePipelines<&CacheWriteFunctions::attention_inputs>, DispatchAttentionInputs,
                BindAngles<1, 1>);
}

constexpr MetalKernel kHeadTable[] = {
    AttentionInputs<DType::kF32>("attention_inputs_f32_metal"),
    AttentionInputs<DType::kF16>("attention_inputs_f16_metal"),
    AttentionInputs<DType::kQ8_0>("attention_inputs_q8_0_metal"),
    KvWrite<DType::kF32>("kv_write_f32_metal"),
    KvWrite<DType::kF16>("kv_write_f16_metal"),
    KvWrite<DType::kQ8_0>("kv_write_q8_0_metal"),
    Kernel("qk_norm_rope_f32_metal", &ops::kQkNormRope, RotatesHeads, QkNormRopePipelines,
           DispatchQkNormRope, BindAngles<1, 0>),
    Kernel("rope_f32_metal", &ops::kRope, RotatesHeads, RopePipelines, DispatchRope,
           BindAngles<0, 0>),
};

}  // namespace

std::span<const MetalKernel> HeadTable() { return kHeadTable; }

}  // namespace infer::metal
