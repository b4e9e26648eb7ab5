// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/kernels.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "backends/formats/kernel_name.h"
#include "backends/formats/weight_types.h"
#include "backends/scalar/accepts.h"
#include "backends/scalar/ops.h"
#include "backends/scalar/partitions.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using scalar::AllF32;
using scalar::InputIs;

// Units of work.
int64_t OutputRows(const KernelArgs& args) { return args.out().rows(); }
int64_t Input0Rows(const KernelArgs& args) { return args.in(0).rows(); }
int64_t OutputDim0(const KernelArgs& args) { return args.out().dim(0); }  // tokens, entries
int64_t OutputColumns(const KernelArgs& args) { return args.out().columns(); }
int64_t ExpertRows(const KernelArgs& args) { return args.in(1).dim(0) * args.in(1).dim(1); }
int64_t Tokens(const KernelArgs& args) { return args.in(1).dim(0); }  // of kv_write

// One widened weight row. All units use it, so the work cannot be divided among threads.
uint64_t WeightRowAsFloats(const Node& node, const SymbolRanges& symbols) {
  return sizeof(float) * node.input(1).type().dim(1).At(symbols.Highest());
}

// One widened row of an expert's matrix, and the places of its rows in the result.
uint64_t ExpertRowAndPlaces(const Node& node, const SymbolRanges& symbols) {
  const ValueType& ids = node.input(2).type();
  const int64_t places = ids.dim(0).At(symbols.Highest()) * ids.dim(1).value();
  return sizeof(float) * (node.input(1).type().dim(2).value() + places);
}

// Each element is one sum in the order of its terms; what is masked adds zeros.
std::string Numerics(const Node&, Range) { return "scalar"; }

constexpr CpuKernel ByRows(std::string_view name, const OpDef* op, Decision (*accepts)(const Node&),
                           decltype(CpuKernel::run) run, decltype(CpuKernel::units) units,
                           decltype(KernelInfo::partition) partition = partitions::Rows) {
  return {.info = {.name = name,
                   .op = op,
                   .target = Target::kScalar,
                   .accepts = accepts,
                   .partition = partition,
                   .numerics = Numerics},
          .run = run,
          .units = units};
}

// The ops that read a weight have one kernel per weight type.
struct WeightKernels {
  CpuKernel linear;
  CpuKernel expert_linear;
  CpuKernel embed;
};

template <DType kType>
constexpr WeightKernels ForWeights() {
  return {.linear = {.info = {.name = KernelName<"linear", kType, "scalar">,
                              .op = &ops::kLinear,
                              .target = Target::kScalar,
                              .accepts = InputIs<1, kType>,
                              .numerics = Numerics,
                              .workspace_bytes = WeightRowAsFloats},
                     .run = scalar::Linear,
                     .units = OutputColumns},
          .expert_linear = {.info = {.name = KernelName<"expert_linear", kType, "scalar">,
                                     .op = &ops::kExpertLinear,
                                     .target = Target::kScalar,
                                     .accepts = InputIs<1, kType>,
                                     .numerics = Numerics,
                                     .workspace_bytes = ExpertRowAndPlaces},
                            .run = scalar::ExpertLinear,
                            .units = ExpertRows},
          .embed = ByRows(KernelName<"embed", kType, "scalar">, &ops::kEmbed, InputIs<0, kType>,
                          scalar::Embed, OutputRows, partitions::RowsFromAny)};
}

constexpr auto kWeightKernels = []<size_t... kAt>(std::index_sequence<kAt...>) {
  return std::array{ForWeights<formats::kWeightTypes[kAt].dtype>()...};
}(std::make_index_sequence<std::size(formats::kWeightTypes)>());

// clang-format off
constexpr CpuKernel kOtherKernels[] = {
    ByRows("add_f32_scalar", &ops::kAdd, AllF32, scalar::Add, OutputRows),
    ByRows("add_scalar_f32_scalar", &ops::kAddScalar, AllF32, scalar::AddScalar, OutputRows),
    ByRows("argmax_f32_scalar", &ops::kArgmax, AllF32, scalar::Argmax, Input0Rows, partitions::InputRows),
    ByRows("attn_mask_f32_scalar", &ops::kAttnMask, AllF32, scalar::AttnMask, OutputRows),
    ByRows("broadcast_rows_f32_scalar", &ops::kBroadcastRows, AllF32, scalar::BroadcastRows, OutputRows, partitions::RowsOfAll),
    ByRows("concat_columns_f32_scalar", &ops::kConcatColumns, AllF32, scalar::ConcatColumns, OutputRows, partitions::RowsOfAll),
    ByRows("copy_f32_scalar", &ops::kCopy, AllF32, scalar::Copy, OutputRows),
    ByRows("gather_rows_f32_scalar", &ops::kGatherRows, AllF32, scalar::GatherRows, OutputRows, partitions::RowsFromAny),
    ByRows("kv_read_f32_scalar", &ops::kKvRead, InputIs<0, DType::kF32>, scalar::KvRead, OutputDim0, partitions::TokensFromAny),
    ByRows("kv_read_f16_scalar", &ops::kKvRead, InputIs<0, DType::kF16>, scalar::KvRead, OutputDim0, partitions::TokensFromAny),
    ByRows("kv_read_q8_0_scalar", &ops::kKvRead, InputIs<0, DType::kQ8_0>, scalar::KvRead, OutputDim0, partitions::TokensFromAny),
    ByRows("kv_write_f32_scalar", &ops::kKvWrite, InputIs<0, DType::kF32>, scalar::KvWrite, Tokens, partitions::TokensToCache),
    ByRows("kv_write_f16_scalar", &ops::kKvWrite, InputIs<0, DType::kF16>, scalar::KvWrite, Tokens, partitions::TokensToCache),
    ByRows("kv_write_q8_0_scalar", &ops::kKvWrite, InputIs<0, DType::kQ8_0>, scalar::KvWrite, Tokens, partitions::TokensToCache),
    ByRows("matmul_f32_scalar", &ops::kMatmul, AllF32, scalar::Matmul, OutputRows, partitions::RowsOfFirst),
    ByRows("mul_f32_scalar", &ops::kMul, AllF32, scalar::Mul, OutputRows),
    ByRows("rope_f32_scalar", &ops::kRope, AllF32, scalar::Rope, OutputDim0, partitions::Tokens),
    ByRows("row_sum_squares_f32_scalar", &ops::kRowSumSquares, AllF32, scalar::RowSumSquares, Input0Rows, partitions::InputRows),
    ByRows("rsqrt_f32_scalar", &ops::kRsqrt, AllF32, scalar::Rsqrt, OutputRows),
    ByRows("scale_f32_scalar", &ops::kScale, AllF32, scalar::Scale, OutputRows),
    ByRows("select_rows_f32_scalar", &ops::kSelectRows, AllF32, scalar::SelectRows, OutputDim0, partitions::TokensFromAny),
    ByRows("select_rows_i32_scalar", &ops::kSelectRows, InputIs<0, DType::kI32>, scalar::SelectRows, OutputDim0, partitions::TokensFromAny),
    ByRows("silu_f32_scalar", &ops::kSilu, AllF32, scalar::Silu, OutputRows),
    ByRows("slice_columns_f32_scalar", &ops::kSliceColumns, AllF32, scalar::SliceColumns, OutputRows, partitions::RowsOfAll),
    ByRows("softmax_f32_scalar", &ops::kSoftmax, AllF32, scalar::Softmax, OutputRows),
    ByRows("top_k_f32_scalar", &ops::kTopK, AllF32, scalar::TopK, Input0Rows, partitions::InputRows),
    ByRows("transpose_f32_scalar", &ops::kTranspose, AllF32, scalar::Transpose, OutputRows, partitions::RowsFromAny),
};
// clang-format on

constexpr auto kKernels = [] {
  std::array<CpuKernel, 3 * std::size(kWeightKernels) + std::size(kOtherKernels)> table{};
  auto next = std::ranges::copy(kOtherKernels, table.begin()).out;
  for (const WeightKernels& kernels : kWeightKernels) {
    *next++ = kernels.linear;
    *next++ = kernels.expert_linear;
    *next++ = kernels.embed;
  }
  return table;
}();

}  // namespace

std::span<const CpuKernel> ScalarKernels() { return kKernels; }

}  // namespace infer
