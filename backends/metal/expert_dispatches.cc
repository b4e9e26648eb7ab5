// SPDX-License-Identifier: Apache-2.0
//
// expert_linear, top_k and combine.
#include <array>
#include <iterator>
#include <utility>

#include "backends/metal/dispatch_builder.h"
#include "backends/metal/kernel_rows.h"
#include "backends/metal/weight_types.h"
#include "backends/scalar/accepts.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "shaders/args.h"

namespace infer::metal {
namespace {

constexpr int64_t kSimdgroups = 2;  // of a group in expert_linear
constexpr uint32_t kRowThreads = 32;
constexpr uint32_t kColumnThreads = 64;

template <DType kType>
PipelineKey ExpertKey() {
  return {"experts", TypedName<"expert", kType>, {}, 32 * kSimdgroups};
}

template <DType kType>
void ExpertPipelines(const Node&, const SymbolRanges&, const DeviceClass&,
                     std::vector<PipelineKey>& out) {
  out.push_back(ExpertKey<kType>());
}

// Each place reads its expert's matrix itself, like a product of one token.
template <DType kType>
void DispatchExperts(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                     std::vector<Dispatch>& out) {
  const TensorView& x = args.in(0);
  const TensorView& weight = args.in(1);
  const TensorView& ids = args.in(2);
  const int64_t places = ids.elements(), outputs = weight.dim(1), inner = weight.dim(2);
  if (places == 0) return;
  const shader::ExpertArgs arguments = {
      static_cast<uint32_t>(places),
      static_cast<uint32_t>(x.rank == 2 ? ids.columns() : 1),
      static_cast<uint32_t>(weight.dim(0)),
      static_cast<uint32_t>(inner),
      static_cast<uint32_t>(outputs),
      static_cast<uint32_t>(BytesOf(weight) / (weight.dim(0) * outputs))};
  DispatchBuilder(ExpertKey<kType>(), arguments)
      .Reads(weight)
      .Reads(x)
      .Reads(ids)
      .Writes(args.out())
      .Flops(2 * places * inner * outputs)
      .Over({CeilDiv(outputs, kSimdgroups * shader::kExpertRows), static_cast<uint32_t>(places)},
            {static_cast<uint32_t>(32 * kSimdgroups)}, out);
}

template <DType kType>
Decision AcceptsExperts(const Node& node) {
  const ValueType& weight = node.input(1).type();
  if (weight.tensor.dtype != kType) {
    return Decision::Reject(
        StrCat("weight is ", Name(weight.tensor.dtype), "; this kernel reads ", Name(kType)));
  }
  if (weight.dim(0).is_symbol() || weight.dim(1).is_symbol() || weight.dim(2).is_symbol()) {
    return Decision::Reject("the weight must be matrices of known size");
  }
  return Decision::Accept();
}

PipelineKey TopKKey() { return {"experts", "top_k_f32", {}, kRowThreads}; }

void TopKPipelines(const Node&, const SymbolRanges&, const DeviceClass&,
                   std::vector<PipelineKey>& out) {
  out.push_back(TopKKey());
}

void DispatchTopK(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                  std::vector<Dispatch>& out) {
  const TensorView& x = args.in(0);
  const ops::TopKParams params = ops::TopKOf(args.attrs);
  const shader::TopKArgs arguments = {static_cast<uint32_t>(x.rows()),
                                      static_cast<uint32_t>(x.columns()),
                                      static_cast<uint32_t>(params.k), params.normed ? 1u : 0u};
  DispatchBuilder(TopKKey(), arguments)
      .Reads(x)
      .Writes(args.out(0))
      .Writes(args.out(1))
      .Flops(x.elements())
      .Over({CeilDiv(x.rows(), kRowThreads)}, {kRowThreads}, out);
}

PipelineKey CombineKey() { return {"experts", "combine_f32", {}, kColumnThreads}; }

void CombinePipelines(const Node&, const SymbolRanges&, const DeviceClass&,
                      std::vector<PipelineKey>& out) {
  out.push_back(CombineKey());
}

void DispatchCombine(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                     std::vector<Dispatch>& out) {
  const TensorView& x = args.in(0);
  const TensorView& result = args.out();
  const shader::CombineArgs arguments = {static_cast<uint32_t>(result.rows()),
                                         static_cast<uint32_t>(x.dim(1)),
                                         static_cast<uint32_t>(result.columns())};
  DispatchBuilder(CombineKey(), arguments)
      .Reads(x)
      .Reads(args.in(1))
      .Writes(result)
      .Flops(2 * x.elements())
      .Over({CeilDiv(result.columns(), kColumnThreads), static_cast<uint32_t>(result.rows())},
            {kColumnThreads}, out);
}

template <DType kType>
constexpr MetalKernel Experts() {
  return Kernel(KernelName<"expert_linear", kType, "metal">, &ops::kExpertLinear,
                AcceptsExperts<kType>, ExpertPipelines<kType>, DispatchExperts<kType>);
}

constexpr auto kExpertTable = []<size_t... kAt>(std::index_sequence<kAt...>) {
  return std::array{
      Experts<kWeightTypes[kAt].dtype>()...,
      Kernel("combine_f32_metal", &ops::kCombine, scalar::AllF32, CombinePipelines,
             DispatchCombine),
      Kernel("top_k_f32_metal", &ops::kTopK, scalar::AllF32, TopKPipelines, DispatchTopK)};
}(std::make_index_sequence<std::size(kWeightTypes)>());

}  // namespace

std::span<const MetalKernel> ExpertTable() { return kExpertTable; }

}  // namespace infer::metal
