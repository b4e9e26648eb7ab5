// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/dispatch_builder.h"
#include "backends/metal/kernel_rows.h"
#include "backends/scalar/accepts.h"
#include "ir/ops/ops.h"
#include "shaders/args.h"

namespace infer::metal {
namespace {

using scalar::AllF32;

constexpr int64_t kElementwiseThreads = 256;
constexpr int64_t kElementsPerThread = 4;  // kPerThread of shaders/elementwise.metal

Grid Groups(int64_t elements) {
  return {CeilDiv(elements, kElementwiseThreads * kElementsPerThread)};
}

// The function; a template argument, so that a table row can be generated from it.
struct ElementwiseFunction {
  char name[16];
  int64_t flops;  // per element
};
// How a function reads its number, if it has one. Not part of ElementwiseFunction: g++ 12 takes no
// pointer to a function inside a template argument.
using ReadNumber = double (*)(std::span<const Attr>);

PipelineKey BinaryKey(std::string_view function, bool broadcast) {
  return {"elementwise", function, {broadcast ? 1 : 0}, kElementwiseThreads};
}

template <ElementwiseFunction kFunction>
void BinaryPipelines(const Node& node, const SymbolRanges&, const DeviceClass&,
                     std::vector<PipelineKey>& out) {
  const bool broadcast = node.input(1).type().rank() < node.input(0).type().rank();
  out.push_back(BinaryKey(kFunction.name, broadcast));
}

template <ElementwiseFunction kFunction>
void DispatchBinary(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                    std::vector<Dispatch>& out) {
  const int64_t count = args.out().elements();
  const shader::ElementArgs arguments = {static_cast<uint32_t>(count),
                                         static_cast<uint32_t>(args.out().columns()), 0.0f};
  DispatchBuilder(BinaryKey(kFunction.name, args.in(1).rank < args.in(0).rank), arguments)
      .Reads(args.in(0))
      .Reads(args.in(1))
      .Writes(args.out())
      .Flops(count * kFunction.flops)
      .Over(Groups(count), {kElementwiseThreads}, out);
}

PipelineKey UnaryKey(std::string_view function) {
  return {"elementwise", function, {0}, kElementwiseThreads};
}

template <ElementwiseFunction kFunction>
void UnaryPipelines(const Node&, const SymbolRanges&, const DeviceClass&,
                    std::vector<PipelineKey>& out) {
  out.push_back(UnaryKey(kFunction.name));
}

template <ElementwiseFunction kFunction, ReadNumber kNumber>
void DispatchUnary(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                   std::vector<Dispatch>& out) {
  const int64_t count = args.out().elements();
  const double value = kNumber != nullptr ? kNumber(args.attrs) : 0.0;
  const shader::ElementArgs arguments = {static_cast<uint32_t>(count), 0,
                                         static_cast<float>(value)};
  DispatchBuilder(UnaryKey(kFunction.name), arguments)
      .Reads(args.in(0))
      .Writes(args.out())
      .Flops(count * kFunction.flops)
      .Over(Groups(count), {kElementwiseThreads}, out);
}

template <ElementwiseFunction kFunction>
constexpr MetalKernel Binary(std::string_view name, const OpDef* op) {
  return Kernel(name, op, AllF32, BinaryPipelines<kFunction>, DispatchBinary<kFunction>);
}
template <ElementwiseFunction kFunction, ReadNumber kNumber = nullptr>
constexpr MetalKernel Unary(std::string_view name, const OpDef* op) {
  return Kernel(name, op, AllF32, UnaryPipelines<kFunction>, DispatchUnary<kFunction, kNumber>);
}

constexpr MetalKernel kElementwiseTable[] = {
    Binary<ElementwiseFunction{"add_f32", 1}>("add_f32_metal", &ops::kAdd),
    Unary<ElementwiseFunction{"add_scalar_f32", 1}, ops::AddScalarValue>("add_scalar_f32_metal",
                                                                         &ops::kAddScalar),
    Unary<ElementwiseFunction{"copy_f32", 0}>("copy_f32_metal", &ops::kCopy),
    Binary<ElementwiseFunction{"mul_f32", 1}>("mul_f32_metal", &ops::kMul),
    Unary<ElementwiseFunction{"rsqrt_f32", 2}>("rsqrt_f32_metal", &ops::kRsqrt),
    Unary<ElementwiseFunction{"scale_f32", 1}, ops::ScaleFactor>("scale_f32_metal", &ops::kScale),
    Unary<ElementwiseFunction{"silu_f32", 5}>("silu_f32_metal", &ops::kSilu),
    Binary<ElementwiseFunction{"swiglu_f32", 6}>("swiglu_f32_metal", &ops::kSwiglu),
};

}  // namespace

std::span<const MetalKernel> ElementwiseTable() { return kElementwiseTable; }

}  // namespace infer::metal
