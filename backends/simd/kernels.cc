// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/kernels.h"

#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "backends/formats/kernel_name.h"
#include "backends/formats/weight_types.h"
#include "backends/scalar/accepts.h"
#include "backends/scalar/ops.h"
#include "backends/scalar/partitions.h"
#include "backends/simd/accepts.h"
#include "backends/simd/attention.h"
#include "backends/simd/bound_rope.h"
#include "backends/simd/bound_vector.h"
#include "backends/simd/experts.h"
#include "backends/simd/levels/choose_level.h"
#include "backends/simd/linear.h"
#include "backends/simd/ops.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using scalar::AllF32;
using scalar::InputIs;

// Units of work.
int64_t OutputRows(const KernelArgs& args) { return args.out().rows(); }
int64_t Input0Rows(const KernelArgs& args) { return args.in(0).rows(); }
int64_t OutputDim0(const KernelArgs& args) { return args.out().dim(0); }  // tokens
int64_t Input1Dim0(const KernelArgs& args) { return args.in(1).dim(0); }  // tokens after a cache

// Rows are independent of each other. Where positions of several sequences stand side by side, the
// lanes that a row's elements fall into depend on the others.
std::string Numerics(const Node& node, Range) {
  for (const Value& input : node.inputs()) {
    if (input.type().is_tensor() && input.type().tensor.shape.Uses(Symbol::kS)) return {};
  }
  return std::string(simd::ChosenLevel().level->name);
}

constexpr CpuKernel By(decltype(KernelInfo::partition) partition, std::string_view name,
                       const OpDef* op, Decision (*accepts)(const Node&),
                       decltype(CpuKernel::run) run, decltype(CpuKernel::units) units,
                       decltype(CpuKernel::bind) bind = simd::BindVector) {
  return {.info = {.name = name,
                   .op = op,
                   .target = Target::kSimd,
                   .accepts = accepts,
                   .partition = partition,
                   .numerics = Numerics},
          .run = run,
          .units = units,
          .bind = bind};
}

constexpr CpuKernel ByRows(std::string_view name, const OpDef* op, Decision (*accepts)(const Node&),
                           decltype(CpuKernel::run) run, decltype(CpuKernel::units) units,
                           decltype(KernelInfo::partition) partition = partitions::Rows,
                           decltype(CpuKernel::bind) bind = simd::BindVector) {
  return By(partition, name, op, accepts, run, units, bind);
}

template <DType kType>
constexpr CpuKernel Embed() {
  return ByRows(KernelName<"embed", kType, "simd">, &ops::kEmbed, InputIs<0, kType>, scalar::Embed,
                OutputRows, partitions::RowsFromAny);
}

template <DType kType>
constexpr CpuKernel KvWrite(std::string_view name) {
  return ByRows(name, &ops::kKvWrite, simd::CacheIs<kType>, simd::KvWrite, Input1Dim0,
                partitions::TokensToCache, simd::BindKvWrite);
}

constexpr CpuKernel WithStridedRows(CpuKernel kernel) {
  kernel.info.strided_rows = true;
  return kernel;
}

constexpr CpuKernel Route(std::string_view name) {
  CpuKernel kernel =
      ByRows(name, &ops::kRoute, AllF32, simd::Route, Input0Rows, partitions::InputRows);
  kernel.info.scratch_bytes = simd::RouteScratchBytes;
  return kernel;
}

template <DType kType>
constexpr CpuKernel AttentionInputs(std::string_view name) {
  return By(partitions::KvHeads, name, &ops::kAttentionInputs, simd::RotatesIntoCache<kType>,
            simd::AttentionInputs, simd::AttentionInputsUnits, simd::BindAttentionInputs);
}

// clang-format off
constexpr CpuKernel kRowKernels[] = {
    ByRows("add_f32_simd", &ops::kAdd, AllF32, simd::Add, OutputRows),
    ByRows("add_rms_norm_f32_simd", &ops::kAddRmsNorm, AllF32, simd::AddRmsNorm, OutputRows),
    ByRows("add_scalar_f32_simd", &ops::kAddScalar, AllF32, simd::AddScalar, OutputRows),
    ByRows("argmax_f32_simd", &ops::kArgmax, AllF32, simd::Argmax, Input0Rows, partitions::InputRows),
    AttentionInputs<DType::kF32>("attention_inputs_f32_simd"),
    AttentionInputs<DType::kF16>("attention_inputs_f16_simd"),
    AttentionInputs<DType::kQ8_0>("attention_inputs_q8_0_simd"),
    ByRows("broadcast_rows_f32_simd", &ops::kBroadcastRows, AllF32, scalar::BroadcastRows, OutputRows, partitions::RowsOfAll),
    WithStridedRows(ByRows("combine_f32_simd", &ops::kCombine, AllF32, simd::Combine, OutputRows, partitions::RowsOfAll)),
    ByRows("concat_columns_f32_simd", &ops::kConcatColumns, AllF32, scalar::ConcatColumns, OutputRows, partitions::RowsOfAll),
    ByRows("copy_f32_simd", &ops::kCopy, AllF32, scalar::Copy, OutputRows),
    ByRows("gather_rows_f32_simd", &ops::kGatherRows, AllF32, scalar::GatherRows, OutputRows, partitions::RowsFromAny),
    KvWrite<DType::kF32>("kv_write_f32_simd"),
    KvWrite<DType::kF16>("kv_write_f16_simd"),
    KvWrite<DType::kQ8_0>("kv_write_q8_0_simd"),
    ByRows("matmul_f32_simd", &ops::kMatmul, AllF32, simd::Matmul, OutputRows, partitions::RowsOfFirst),
    ByRows("mul_f32_simd", &ops::kMul, AllF32, simd::Mul, OutputRows),
    ByRows("qk_norm_rope_f32_simd", &ops::kQkNormRope, simd::RotatesHeads, simd::QkNormRope, OutputDim0, partitions::TokensOfBoth, simd::BindRope<1, 0>),
    ByRows("rms_norm_f32_simd", &ops::kRmsNorm, AllF32, simd::RmsNorm, OutputRows),
    ByRows("rope_f32_simd", &ops::kRope, simd::RotatesHeads, simd::Rope, OutputDim0, partitions::Tokens, simd::BindRope<0, 0>),
    Route("route_f32_simd"),
    ByRows("row_sum_squares_f32_simd", &ops::kRowSumSquares, AllF32, simd::RowSumSquares, Input0Rows, partitions::InputRows),
    ByRows("rsqrt_f32_simd", &ops::kRsqrt, AllF32, simd::Rsqrt, OutputRows),
    ByRows("scale_f32_simd", &ops::kScale, AllF32, simd::Scale, OutputRows),
    ByRows("select_rows_f32_simd", &ops::kSelectRows, AllF32, scalar::SelectRows, OutputDim0, partitions::TokensFromAny),
    ByRows("select_rows_i32_simd", &ops::kSelectRows, InputIs<0, DType::kI32>, scalar::SelectRows, OutputDim0, partitions::TokensFromAny),
    ByRows("silu_f32_simd", &ops::kSilu, AllF32, simd::Silu, OutputRows),
    ByRows("slice_columns_f32_simd", &ops::kSliceColumns, AllF32, scalar::SliceColumns, OutputRows, partitions::RowsOfAll),
    ByRows("softmax_f32_simd", &ops::kSoftmax, AllF32, simd::Softmax, OutputRows),
    WithStridedRows(By(simd::SwigluPartition, "swiglu_f32_simd", &ops::kSwiglu, AllF32, simd::Swiglu, simd::SwigluUnits)),
    ByRows("top_k_f32_simd", &ops::kTopK, AllF32, scalar::TopK, Input0Rows, partitions::InputRows),
    ByRows("transpose_f32_simd", &ops::kTranspose, AllF32, scalar::Transpose, OutputRows, partitions::RowsFromAny),
};
// clang-format on

constexpr auto kEmbedKernels = []<size_t... kAt>(std::index_sequence<kAt...>) {
  return std::array{Embed<formats::kWeightTypes[kAt].dtype>()...};
}(std::make_index_sequence<std::size(formats::kWeightTypes)>());

std::vector<CpuKernel> AllKernels() {
  std::vector<CpuKernel> all(std::begin(kRowKernels), std::end(kRowKernels));
  all.insert(all.end(), kEmbedKernels.begin(), kEmbedKernels.end());
  for (std::span<const CpuKernel> table :
       {simd::AttentionTable(), simd::LinearTable(), simd::ExpertTable()}) {
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

}  // namespace

std::span<const CpuKernel> SimdKernels() {
  // Without a level a kernel has nothing to call, even for a stored Program that names it.
  if (simd::ChosenLevel().level == nullptr) return {};
  static const std::vector<CpuKernel> kernels = AllKernels();
  return kernels;
}

}  // namespace infer
