// SPDX-License-Identifier: Apache-2.0
//
// linear, multi_linear and what is joined with them: linear_add, norm_linear and norm_swiglu. One
// row of x streams the weights, with norm, residual and swiglu in the same launch. Up to kFewTokens
// rows multiply weights from memory directly on tensor cores, many rows by tiles, after x has been
// converted to int8 or 16 bits. Invariant kernels, and rows of an odd length, have products without
// tensor cores, with the bits of one row. All but one row have launches of their own before and
// after the product.
#include <array>
#include <iterator>
#include <utility>

#include "backends/cuda/few_launches.h"
#include "backends/cuda/kernel_rows.h"
#include "backends/cuda/row_launches.h"
#include "backends/cuda/stream_launches.h"
#include "backends/cuda/tile_launches.h"
#include "backends/formats/kernel_name.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::cuda {
namespace {

constexpr int64_t kMatrixRows = 9;
constexpr int64_t kManyRows = int64_t{1} << 40;  // more than any call has
constexpr uint64_t kSharedLimit = 48 * 1024;     // that every launch may use
constexpr int64_t kInnerGranule = 32;

void AddProduct(Product product, const DeviceBatch& batch, std::vector<Launch>& out) {
  const int64_t tokens = product.tokens(), columns = product.columns();
  if (tokens == 0 || AddStreams(product, batch.max_shared_bytes, out)) return;
  const bool few = IsFew(product, *batch.host);
  // Whether x is converted to 16 bits; else to int8, or not at all.
  const bool halves = few ? !IsPacked(*FindWeight(product.weights[0].dtype))
                          : !product.invariant && tokens >= kMatrixRows;
  if (halves && product.norm != nullptr) {
    TensorView normed = product.x;
    normed.data = product.workspace;
    product.workspace += FloatBytes(tokens, columns);
    AddRmsNorm(product.x, product.norm, product.eps, normed, out);
    product.x = normed;
  }
  const TensorView result = product.results[0];
  if (product.gated) {
    product.results.assign(2, result);
    for (TensorView& view : product.results) {
      view.data = product.workspace;
      product.workspace += FloatBytes(tokens, result.columns());
    }
  }
  halves ? AddMatmats(product, few, out) : AddMatvecs(product, few, out);
  if (product.gated) AddSwiglu(product.results[0], product.results[1], result, !halves, out);
}

// `first`: the input with the first of `count` weights.
Product ProductOf(const KernelArgs& args, int first, int count) {
  Product product;
  product.x = args.in(0);
  for (int i = 0; i < count; ++i) product.weights.push_back(args.in(first + i));
  for (int i = 0; i < static_cast<int>(args.outputs.size()); ++i) {
    product.results.push_back(args.out(i));
  }
  product.workspace = args.workspace;
  return product;
}

template <bool kInvariant>
void LaunchLinear(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  Product product = ProductOf(args, 1, static_cast<int>(args.outputs.size()));
  product.invariant = kInvariant;
  AddProduct(std::move(product), batch, out);
}

template <bool kInvariant>
void LaunchLinearAdd(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  Product product = ProductOf(args, 1, 1);
  product.residual = args.in(2).f32();
  product.invariant = kInvariant;
  AddProduct(std::move(product), batch, out);
}

template <bool kGated, bool kInvariant>
void LaunchNormed(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  Product product = ProductOf(args, 2, kGated ? 2 : static_cast<int>(args.outputs.size()));
  product.norm = args.in(1).f32();
  product.eps = static_cast<float>(ops::RmsNormEps(args.attrs));
  product.gated = kGated;
  product.invariant = kInvariant;
  AddProduct(std::move(product), batch, out);
}

bool IsMatrix(const Value& input) { return input.type().is_tensor() && input.type().rank() == 2; }

// The weights of the node: of all inputs but x and, of linear_add, the residual.
template <class F>
void ForEachWeight(const Node& node, F visit) {
  const size_t end = node.Is(ops::kLinearAdd) ? 2 : node.inputs().size();
  for (size_t i = 1; i < end; ++i) {
    if (IsMatrix(node.inputs()[i])) visit(node.inputs()[i].type());
  }
}

// Rows of x normed, the products of gate and up, and rows of x in int8 (with the factors of the
// norm) or in both f16 and bf16, and the partial sums of few tiles.
uint64_t LinearWorkspace(const Node& node, const SymbolRanges& symbols) {
  const ValueType& x = node.input(0).type();
  const Dim rows = x.dim(0);
  const int64_t columns = x.dim(1).value();
  Range range = rows.is_symbol() ? symbols[rows.symbol()] : Range{rows.value(), rows.value()};
  if (!range.is_set()) range = {1, 1};
  if (range.max >= kManyRows) return 0;
  uint64_t bytes = 2 * ConvertedRegion(range.max, columns);
  if (range.max >= kMatrixRows) {
    int64_t blocks = 0;
    ForEachWeight(node, [&](const ValueType& weight) {
      blocks += CeilDiv(weight.dim(0).value(), kMatmatOutputs);
    });
    bytes += PartialBytes(range.max, columns, blocks);
  }
  if (node.Is(ops::kNormLinear) || node.Is(ops::kNormSwiglu)) {
    bytes += FloatBytes(range.max, columns);
  }
  if (node.Is(ops::kNormSwiglu)) {
    bytes += 2 * FloatBytes(range.max, node.result().type.dim(1).value());
  }
  return bytes;
}

void LinearModules(const Node& node, std::vector<std::string_view>& out) {
  for (std::string_view module : {"convert", "rows", "elementwise"}) out.push_back(module);
  ForEachWeight(node, [&](const ValueType& weight) {
    out.push_back(FindWeight(weight.tensor.dtype)->module);
  });
}

std::string_view LinearLayout(const Node& node, int input) {
  if (input == 0 || !IsMatrix(node.input(input)) || (node.Is(ops::kLinearAdd) && input == 2)) {
    return kGgufLayout;
  }
  return FindWeight(node.input(input).type().tensor.dtype)->layout;
}

Decision AcceptsWeight(const ValueType& weight) {
  if (FindWeight(weight.tensor.dtype) == nullptr) {
    return Decision::Reject(
        StrCat("the kernels have no product for ", Name(weight.tensor.dtype), " weights"));
  }
  if (weight.rank() != 2 || weight.dim(0).is_symbol() || weight.dim(1).is_symbol()) {
    return Decision::Reject("the weight must be a matrix of known size");
  }
  if (weight.dim(1).value() % kInnerGranule != 0) {
    return Decision::Reject(StrCat("weight rows of ", weight.dim(1).value(),
                                   " elements; the kernels read multiples of ", kInnerGranule));
  }
  if (Int8Bytes(1, weight.dim(1).value()) > kSharedLimit) {
    return Decision::Reject(StrCat("weight rows of ", weight.dim(1).value(),
                                   " elements do not fit into the shared memory of a block"));
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
  Decision decision = Decision::Accept();
  ForEachWeight(node, [&](const ValueType& weight) {
    if (decision.accepted()) decision = AcceptsWeight(weight);
  });
  return decision;
}

// A normed row and the norm's weights stay in shared memory while one row of x is multiplied.
Decision AcceptsNormed(const Node& node) {
  Decision decision = AcceptsAll(node);
  if (!decision.accepted()) return decision;
  const int64_t columns = node.input(0).type().dim(1).value();
  ForEachWeight(node, [&](const ValueType& weight) {
    const WeightType& type = *FindWeight(weight.tensor.dtype);
    if (decision.accepted() && StreamMemoryOf(type, columns, true).ring_offset > kSharedLimit) {
      decision = Decision::Reject(
          StrCat("rows of ", columns, " elements do not fit into the shared memory of a block"));
    }
  });
  return decision;
}

Decision AcceptsGated(const Node& node) {
  const DType gate = node.input(2).type().tensor.dtype, up = node.input(3).type().tensor.dtype;
  if (gate != up) {
    return Decision::Reject(
        StrCat("gate is ", Name(gate), " and up is ", Name(up), "; the kernel reads one type"));
  }
  return AcceptsNormed(node);
}

constexpr CudaKernel Row(std::string_view name, const OpDef* op, Decision (*accepts)(const Node&),
                         bool rounds, decltype(CudaKernel::launch) launch) {
  CudaKernel kernel = Kernel(name, op, accepts, LinearModules, launch);
  kernel.info.rounds_activations = rounds;
  kernel.info.weight_layout = LinearLayout;
  kernel.info.workspace_bytes = LinearWorkspace;
  return kernel;
}

constexpr CudaKernel InvariantRow(std::string_view name, const OpDef* op,
                                  Decision (*accepts)(const Node&), bool rounds,
                                  decltype(CudaKernel::launch) launch) {
  CudaKernel kernel = Row(name, op, accepts, rounds, launch);
  kernel.info.numerics = [](const Node&, Range) { return std::string("lanes"); };
  return kernel;
}

// Invariant kernels come last: placement takes the first that qualifies.
constexpr auto kLinearTable = []<size_t... kAt>(std::index_sequence<kAt...>) {
  return std::array{
      Row(KernelName<"linear", kWeightTypes[kAt].dtype, "cuda">, &ops::kLinear,
          AcceptsOne<kWeightTypes[kAt].dtype>, kWeightTypes[kAt].rounds, LaunchLinear<false>)...,
      Row("multi_linear_cuda", &ops::kMultiLinear, AcceptsAll, true, LaunchLinear<false>),
      Row("linear_add_cuda", &ops::kLinearAdd, AcceptsAll, true, LaunchLinearAdd<false>),
      Row("norm_linear_cuda", &ops::kNormLinear, AcceptsNormed, true, LaunchNormed<false, false>),
      Row("norm_swiglu_cuda", &ops::kNormSwiglu, AcceptsGated, true, LaunchNormed<true, false>),
      InvariantRow(KernelName<"linear", kWeightTypes[kAt].dtype, "invariant_cuda">, &ops::kLinear,
                   AcceptsOne<kWeightTypes[kAt].dtype>, IsPacked(kWeightTypes[kAt]),
                   LaunchLinear<true>)...,
      InvariantRow("multi_linear_invariant_cuda", &ops::kMultiLinear, AcceptsAll, true,
                   LaunchLinear<true>),
      InvariantRow("linear_add_invariant_cuda", &ops::kLinearAdd, AcceptsAll, true,
                   LaunchLinearAdd<true>),
      InvariantRow("norm_linear_invariant_cuda", &ops::kNormLinear, AcceptsNormed, true,
                   LaunchNormed<false, true>),
      InvariantRow("norm_swiglu_invariant_cuda", &ops::kNormSwiglu, AcceptsGated, true,
                   LaunchNormed<true, true>)};
}(std::make_index_sequence<std::size(kWeightTypes)>());

}  // namespace

std::span<const CudaKernel> LinearTable() { return kLinearTable; }

}  // namespace infer::cuda
