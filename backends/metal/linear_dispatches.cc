// SPDX-License-Identifier: Apache-2.0
//
// linear, multi_linear and matmul.
#include <algorithm>
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

using shader::kMatmatOutputs, shader::kMatmatTokens, shader::kMatvecTokens, shader::kPlainTile;

constexpr uint32_t kMatmatThreads = 128;
constexpr int64_t kManyRows = int64_t{1} << 40;  // more than any call has
// Below this many columns llama.cpp does not use simdgroup matrices. With f32 weights the plain
// tiled kernel takes over, also where a row length is not a multiple of four.
constexpr int64_t kMinMatrixInner = 64;
constexpr int64_t kInnerGranule = 4;

enum class Kind { kVector, kMatrix, kPlain };

// How a product of `tokens` rows is computed.
struct Product {
  Kind kind;
  int64_t tokens_of_group;
  PipelineKey pipeline;
};

PipelineKey PlainKey(bool transposed) {
  return {"matmul", "matmul_tiled_f32", {transposed ? 1 : 0}, kPlainTile * kPlainTile};
}

Product ChooseProduct(DType weight, int64_t inner, int64_t tokens, const DeviceClass& device) {
  const WeightType& type = *FindWeight(weight);
  if (tokens < device.matrix_rows) {
    // The fewest groups, each of which reads the weights once, with tokens divided evenly: 5 are 3
    // and 2.
    const int64_t groups = CeilDiv(tokens, kMatvecTokens);
    const int64_t of_group = CeilDiv(tokens, groups);
    return {Kind::kVector,
            of_group,
            {type.library,
             type.matvec,
             {type.rows, static_cast<int32_t>(of_group)},
             static_cast<uint32_t>(32 * type.simdgroups)}};
  }
  const bool plain = inner < kMinMatrixInner || inner % kInnerGranule != 0;
  if (weight == DType::kF32 && plain) {
    return {Kind::kPlain, kPlainTile, PlainKey(true)};
  }
  return {Kind::kMatrix, kMatmatTokens, {type.library, type.matmat, {}, kMatmatThreads}};
}

// Returns the range of the number of rows of x.
Range RowsOf(const ValueType& x, const SymbolRanges& symbols) {
  Range rows = {1, 1};
  for (int axis = 0; axis + 1 < x.rank(); ++axis) {
    const Dim dim = x.dim(axis);
    Range range = dim.is_symbol() ? symbols[dim.symbol()] : Range{dim.value(), dim.value()};
    if (!range.is_set()) range = {1, kManyRows};
    rows.min *= std::max<int64_t>(range.min, 1);
    rows.max = std::min(rows.max * std::min(range.max, kManyRows / rows.max), kManyRows);
  }
  return rows;
}

// Adds only the pipelines that calls with these numbers of rows dispatch: a pipeline that the
// device refuses but no call needs must not make the kernel unavailable.
void AddPipelines(const ValueType& weight, Range rows, const DeviceClass& device,
                  std::vector<PipelineKey>& out) {
  const int64_t inner = weight.dim(1).value();
  const int64_t most = std::min(rows.max, std::max(device.matrix_rows, rows.min));
  for (int64_t tokens = rows.min; tokens <= most; ++tokens) {
    PipelineKey key = ChooseProduct(weight.tensor.dtype, inner, tokens, device).pipeline;
    if (std::ranges::find(out, key) == out.end()) out.push_back(std::move(key));
  }
}

Grid GroupsOf(const Product& product, const WeightType& type, int64_t tokens, int64_t outputs) {
  switch (product.kind) {
    case Kind::kVector:
      return {CeilDiv(outputs, type.rows * type.simdgroups),
              CeilDiv(tokens, product.tokens_of_group)};
    case Kind::kMatrix:
      return {CeilDiv(tokens, kMatmatTokens), CeilDiv(outputs, kMatmatOutputs)};
    case Kind::kPlain:
      return {CeilDiv(outputs, kPlainTile), CeilDiv(tokens, kPlainTile)};
  }
  return {};
}

// Plans the product of x with one weight.
void DispatchProduct(const TensorView& x, const TensorView& weight, const TensorView& result,
                     const DeviceClass& device, std::vector<Dispatch>& out) {
  const int64_t tokens = x.rows(), inner = x.columns(), outputs = weight.dim(0);
  if (tokens == 0) return;
  const Product product = ChooseProduct(weight.dtype, inner, tokens, device);
  const WeightType& type = *FindWeight(weight.dtype);
  const Grid groups = GroupsOf(product, type, tokens, outputs);
  const int64_t flops = 2 * tokens * inner * outputs;
  if (product.kind == Kind::kPlain) {
    const shader::MatmulArgs arguments = {static_cast<uint32_t>(tokens),
                                          static_cast<uint32_t>(outputs),
                                          static_cast<uint32_t>(inner)};
    DispatchBuilder(product.pipeline, arguments)
        .Reads(x)
        .Reads(weight)
        .Writes(result)
        .Flops(flops)
        .Over(groups, {kPlainTile, kPlainTile}, out);
    return;
  }
  const shader::LinearArgs arguments = {static_cast<uint32_t>(tokens), static_cast<uint32_t>(inner),
                                        static_cast<uint32_t>(outputs),
                                        static_cast<uint32_t>(BytesOf(weight) / outputs)};
  DispatchBuilder(product.pipeline, arguments)
      .Reads(weight)
      .Reads(x)
      .Writes(result)
      .Flops(flops)
      .Over(groups, {product.pipeline.threads}, out);
}

void LinearPipelines(const Node& node, const SymbolRanges& symbols, const DeviceClass& device,
                     std::vector<PipelineKey>& out) {
  AddPipelines(node.input(1).type(), RowsOf(node.input(0).type(), symbols), device, out);
}

void DispatchLinear(const KernelArgs& args, const DeviceBatch&, const DeviceClass& device,
                    std::vector<Dispatch>& out) {
  DispatchProduct(args.in(0), args.in(1), args.out(), device, out);
}

void MultiPipelines(const Node& node, const SymbolRanges& symbols, const DeviceClass& device,
                    std::vector<PipelineKey>& out) {
  const Range rows = RowsOf(node.input(0).type(), symbols);
  for (const Value& weight : node.inputs().subspan(1)) {
    AddPipelines(weight.type(), rows, device, out);
  }
}

// The parts write different results, so they may run concurrently.
void DispatchMulti(const KernelArgs& args, const DeviceBatch&, const DeviceClass& device,
                   std::vector<Dispatch>& out) {
  for (int i = 0; i < static_cast<int>(args.outputs.size()); ++i) {
    DispatchProduct(args.in(0), args.in(1 + i), args.out(i), device, out);
  }
}

void MatmulPipelines(const Node&, const SymbolRanges&, const DeviceClass&,
                     std::vector<PipelineKey>& out) {
  out.push_back(PlainKey(false));
}

void DispatchMatmul(const KernelArgs& args, const DeviceBatch&, const DeviceClass&,
                    std::vector<Dispatch>& out) {
  const TensorView& result = args.out();
  const int64_t rows = result.rows(), columns = result.columns(), inner = args.in(0).columns();
  const shader::MatmulArgs arguments = {static_cast<uint32_t>(rows), static_cast<uint32_t>(columns),
                                        static_cast<uint32_t>(inner)};
  DispatchBuilder(PlainKey(false), arguments)
      .Reads(args.in(0))
      .Reads(args.in(1))
      .Writes(result)
      .Flops(2 * rows * columns * inner)
      .Over({CeilDiv(columns, kPlainTile), CeilDiv(rows, kPlainTile)}, {kPlainTile, kPlainTile},
            out);
}

Decision AcceptsWeight(const ValueType& weight) {
  if (FindWeight(weight.tensor.dtype) == nullptr) {
    return Decision::Reject(
        StrCat("the shaders have no product for ", Name(weight.tensor.dtype), " weights"));
  }
  if (weight.rank() != 2 || weight.dim(0).is_symbol() || weight.dim(1).is_symbol()) {
    return Decision::Reject("the weight must be a matrix of known size");
  }
  return Decision::Accept();
}

template <DType kType>
Decision AcceptsOne(const Node& node) {
  const DType found = node.input(1).type().tensor.dtype;
  if (found != kType) {
    return Decision::Reject(StrCat("weight is ", Name(found), "; this kernel reads ", Name(kType)));
  }
  return AcceptsWeight(node.input(1).type());
}

Decision AcceptsAll(const Node& node) {
  for (const Value& weight : node.inputs().subspan(1)) {
    Decision decision = AcceptsWeight(weight.type());
    if (!decision.accepted()) return decision;
  }
  return Decision::Accept();
}

template <DType kType>
constexpr MetalKernel Linear() {
  return Kernel(KernelName<"linear", kType, "metal">, &ops::kLinear, AcceptsOne<kType>,
                LinearPipelines, DispatchLinear);
}

constexpr auto kLinearTable = []<size_t... kAt>(std::index_sequence<kAt...>) {
  return std::array{
      Linear<kWeightTypes[kAt].dtype>()...,
      Kernel("matmul_f32_metal", &ops::kMatmul, scalar::AllF32, MatmulPipelines, DispatchMatmul),
      Kernel("multi_linear_metal", &ops::kMultiLinear, AcceptsAll, MultiPipelines, DispatchMulti)};
}(std::make_index_sequence<std::size(kWeightTypes)>());

}  // namespace

std::span<const MetalKernel> LinearTable() { return kLinearTable; }

}  // namespace infer::metal
