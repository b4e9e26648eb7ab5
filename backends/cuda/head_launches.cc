// SPDX-License-Identifier: Apache-2.0
//
// rope, qk_norm_rope, kv_write and attention_inputs: one kernel with parts left out.
#include "backends/cuda/head_launches.h"

#include <array>

#include "backends/cuda/kernel_rows.h"
#include "backends/scalar/accepts.h"
#include "backends/scalar/rope_angles.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::cuda {
namespace {

constexpr int64_t kHeadsOfBlock = kHeadThreads / 32;

void HeadModules(const Node&, std::vector<std::string_view>& out) { out.push_back("heads"); }

Decision HeadsAre(int64_t head_dim) {
  if (head_dim <= kMaxHeadDim && head_dim % 2 == 0) return Decision::Accept();
  return Decision::Reject(
      StrCat("heads of ", head_dim, "; the kernel takes even heads of up to ", kMaxHeadDim));
}

Decision Rotates(const Node& node) {
  Decision decision = scalar::AllF32(node);
  return decision.accepted() ? HeadsAre(node.result(0).type.dim(-1).value()) : decision;
}

template <DType kType>
Decision StoresInto(const Node& node) {
  const ValueType& kv = node.input(0).type();
  const int64_t head_dim = kv.dim(1).value();
  if (kv.tensor.dtype == kType && head_dim % Info(kType).block_elements != 0) {
    return Decision::Reject(StrCat("heads of ", head_dim, " are not a multiple of ",
                                   Info(kType).block_elements, ", the ", Name(kType),
                                   " block size"));
  }
  Decision decision = scalar::InputIs(node, 0, kType);
  return decision.accepted() ? HeadsAre(head_dim) : decision;
}

// The angle of each pair of a head for one position, and the factor of rotated heads.
struct Rotation {
  float angles[kMaxHeadDim / 2] = {};
  float magnitude = 1;
  uint32_t adjacent = 0;
};

std::shared_ptr<const void> MakeRotation(const ops::RopeParams& rope, int64_t head_dim) {
  auto rotation = std::make_shared<Rotation>();
  for (int64_t pair = 0; pair < head_dim / 2; ++pair) {
    rotation->angles[pair] = scalar::AnglePerPosition(rope, head_dim, pair);
  }
  rotation->magnitude = static_cast<float>(scalar::RopeMagnitude(rope));
  rotation->adjacent = rope.adjacent ? 1 : 0;
  return rotation;
}

template <int kFirstAttr, int kResult>
std::shared_ptr<const void> BindRotation(const Node& node) {
  return MakeRotation(ops::RopeParamsOf(node.attrs().subspan(kFirstAttr)),
                      node.result(kResult).type.dim(2).value());
}

HeadArgs RotatedArgs(const KernelArgs& args, const DeviceBatch& batch) {
  const auto& rotation = args.constants<Rotation>();
  HeadArgs heads = {};
  heads.token_pos = batch.token_pos;
  heads.token_slot = batch.token_slot;
  heads.rotates = 1;
  heads.adjacent = rotation.adjacent;
  heads.magnitude = rotation.magnitude;
  std::ranges::copy(rotation.angles, heads.angles);
  return heads;
}

void SetCache(const KvView& kv, HeadArgs* heads) {
  heads->k_cache = reinterpret_cast<unsigned char*>(kv.k);
  heads->v_cache = reinterpret_cast<unsigned char*>(kv.v);
  heads->kv_heads = static_cast<uint32_t>(kv.kv_heads);
  heads->head_dim = static_cast<uint32_t>(kv.head_dim);
  heads->block_positions = static_cast<uint32_t>(kv.block_positions);
}

// `kinds`: of q, k and v, which are among the heads of a token.
void AddHeads(std::string function, const HeadArgs& args, uint32_t heads_of_token,
              std::vector<Launch>& out) {
  const uint64_t shared = kHeadsOfBlock * args.head_dim * sizeof(float);
  const int64_t heads = int64_t{args.tokens} * heads_of_token;
  AddLaunch("heads", std::move(function), args, {CeilDiv(heads, kHeadsOfBlock)}, kHeadThreads,
            shared, out);
}

// The heads of x take the place of k, without a norm.
void LaunchRope(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  const TensorView& x = args.in(0);
  HeadArgs heads = RotatedArgs(args, batch);
  heads.k = x.f32();
  heads.k_out = args.out().mutable_f32();
  heads.tokens = static_cast<uint32_t>(x.dim(0));
  heads.kv_heads = static_cast<uint32_t>(x.dim(1));
  heads.head_dim = static_cast<uint32_t>(x.dim(2));
  AddHeads("heads_f32", heads, heads.kv_heads, out);
}

void LaunchQkNormRope(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  const TensorView& q = args.out(0);
  const TensorView& k = args.out(1);
  HeadArgs heads = RotatedArgs(args, batch);
  heads.q = args.in(0).f32();
  heads.k = args.in(1).f32();
  heads.q_norm = args.in(2).f32();
  heads.k_norm = args.in(3).f32();
  heads.q_out = q.mutable_f32();
  heads.k_out = k.mutable_f32();
  heads.tokens = static_cast<uint32_t>(q.dim(0));
  heads.heads = static_cast<uint32_t>(q.dim(1));
  heads.kv_heads = static_cast<uint32_t>(k.dim(1));
  heads.head_dim = static_cast<uint32_t>(q.dim(2));
  heads.eps = static_cast<float>(ops::NormRopeOf(args.attrs).eps);
  AddHeads("heads_f32", heads, heads.heads + heads.kv_heads, out);
}

template <DType kType>
std::string StoreFunction() {
  return StrCat("store_heads_", Name(kType));
}

template <DType kType>
void LaunchKvWrite(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  HeadArgs heads = {};
  SetCache(args.inputs[0].kv, &heads);
  heads.token_slot = batch.token_slot;
  heads.k = args.in(1).f32();
  heads.v = args.in(2).f32();
  heads.tokens = static_cast<uint32_t>(args.in(1).dim(0));
  AddHeads(StoreFunction<kType>(), heads, 2 * heads.kv_heads, out);
}

template <DType kType>
void LaunchInputs(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  const auto eps = static_cast<float>(ops::NormRopeOf(args.attrs).eps);
  AddAttentionInputs(InputHeads(args, batch, eps, args.out(1).mutable_f32()), kType, out);
}

template <DType kType>
constexpr CudaKernel KvWrite(std::string_view name) {
  return Kernel(name, &ops::kKvWrite, StoresInto<kType>, HeadModules, LaunchKvWrite<kType>);
}
template <DType kType>
constexpr CudaKernel Inputs(std::string_view name) {
  return Kernel(name, &ops::kAttentionInputs, StoresInto<kType>, HeadModules, LaunchInputs<kType>,
                BindRotation<1, 1>);
}

constexpr auto kHeadTable = RowByRow(std::array{
    Kernel("rope_f32_cuda", &ops::kRope, Rotates, HeadModules, LaunchRope, BindRotation<0, 0>),
    Kernel("qk_norm_rope_f32_cuda", &ops::kQkNormRope, Rotates, HeadModules, LaunchQkNormRope,
           BindRotation<1, 0>),
    KvWrite<DType::kF32>("kv_write_f32_cuda"),
    KvWrite<DType::kF16>("kv_write_f16_cuda"),
    KvWrite<DType::kQ8_0>("kv_write_q8_0_cuda"),
    Inputs<DType::kF32>("attention_inputs_f32_cuda"),
    Inputs<DType::kF16>("attention_inputs_f16_cuda"),
    Inputs<DType::kQ8_0>("attention_inputs_q8_0_cuda"),
});

}  // namespace

std::shared_ptr<const void> BindSelfAttention(const Node& node) {
  return MakeRotation(ops::RopeParamsOf(node.attrs().subspan(2)),
                      node.input(0).type().dim(1).value());
}

HeadArgs InputHeads(const KernelArgs& args, const DeviceBatch& batch, float eps, float* q_out) {
  HeadArgs heads = RotatedArgs(args, batch);
  SetCache(args.inputs[0].kv, &heads);
  heads.q = args.in(1).f32();
  heads.k = args.in(2).f32();
  heads.v = args.in(3).f32();
  heads.q_norm = args.in(4).f32();
  heads.k_norm = args.in(5).f32();
  heads.q_out = q_out;
  heads.tokens = static_cast<uint32_t>(args.in(1).dim(0));
  heads.heads = static_cast<uint32_t>(args.in(1).dim(1)) / heads.head_dim;
  heads.eps = eps;
  return heads;
}

void AddAttentionInputs(const HeadArgs& heads, DType cache, std::vector<Launch>& out) {
  AddHeads(StrCat("store_heads_", Name(cache)), heads, heads.heads + 2 * heads.kv_heads, out);
}

std::span<const CudaKernel> HeadTable() { return kHeadTable; }

}  // namespace infer::cuda
