// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/kernels.h"

#include "backends/scalar/accepts.h"
#include "backends/scalar/ops.h"
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
int64_t Tokens(const KernelArgs& args) { return args.in(1).dim(0); }  // of kv_write

// One widened weight row. All units share it, so one thread at a time runs a node.
uint64_t WeightRowAsFloats(const Node& node, const SymbolRanges& symbols) {
  return sizeof(float) * node.input(1).type().dim(1).At(symbols.Highest());
}

constexpr CpuKernel ByRows(std::string_view name, const OpDef* op, Decision (*accepts)(const Node&),
                           decltype(CpuKernel::run) run, decltype(CpuKernel::units) units) {
  return {.info = {.name = name,
                   .op = op,
                   .target = Target::kScalar,
                   .accepts = accepts,
                   .domain = PartitionDomain::kRows},
          .run = run,
          .units = units};
}

constexpr CpuKernel LinearOf(std::string_view name, Decision (*accepts)(const Node&)) {
  return {.info = {.name = name,
                   .op = &ops::kLinear,
                   .target = Target::kScalar,
                   .accepts = accepts,
                   .domain = PartitionDomain::kColumns,
                   .workspace_bytes = WeightRowAsFloats},
          .run = scalar::Linear,
          .units = OutputColumns};
}

// clang-format off
constexpr CpuKernel kKernels[] = {
    ByRows("add_f32_scalar", &ops::kAdd, AllF32, scalar::Add, OutputRows),
    ByRows("add_scalar_f32_scalar", &ops::kAddScalar, AllF32, scalar::AddScalar, OutputRows),
    ByRows("argmax_f32_scalar", &ops::kArgmax, AllF32, scalar::Argmax, Input0Rows),
    ByRows("attn_mask_f32_scalar", &ops::kAttnMask, AllF32, scalar::AttnMask, OutputRows),
    ByRows("broadcast_rows_f32_scalar", &ops::kBroadcastRows, AllF32, scalar::BroadcastRows, OutputRows),
    ByRows("concat_columns_f32_scalar", &ops::kConcatColumns, AllF32, scalar::ConcatColumns, OutputRows),
    ByRows("copy_f32_scalar", &ops::kCopy, AllF32, scalar::Copy, OutputRows),
    ByRows("embed_f32_scalar", &ops::kEmbed, InputIs<0, DType::kF32>, scalar::Embed, OutputRows),
    ByRows("embed_f16_scalar", &ops::kEmbed, InputIs<0, DType::kF16>, scalar::Embed, OutputRows),
    ByRows("embed_bf16_scalar", &ops::kEmbed, InputIs<0, DType::kBF16>, scalar::Embed, OutputRows),
    ByRows("embed_q8_0_scalar", &ops::kEmbed, InputIs<0, DType::kQ8_0>, scalar::Embed, OutputRows),
    ByRows("gather_rows_f32_scalar", &ops::kGatherRows, AllF32, scalar::GatherRows, OutputRows),
    ByRows("kv_read_f32_scalar", &ops::kKvRead, InputIs<0, DType::kF32>, scalar::KvRead, OutputDim0),
    ByRows("kv_read_f16_scalar", &ops::kKvRead, InputIs<0, DType::kF16>, scalar::KvRead, OutputDim0),
    ByRows("kv_write_f32_scalar", &ops::kKvWrite, InputIs<0, DType::kF32>, scalar::KvWrite, Tokens),
    ByRows("kv_write_f16_scalar", &ops::kKvWrite, InputIs<0, DType::kF16>, scalar::KvWrite, Tokens),
    LinearOf("linear_f32_scalar", InputIs<1, DType::kF32>),
    LinearOf("linear_f16_scalar", InputIs<1, DType::kF16>),
    LinearOf("linear_bf16_scalar", InputIs<1, DType::kBF16>),
    LinearOf("linear_q8_0_scalar", InputIs<1, DType::kQ8_0>),
    ByRows("matmul_f32_scalar", &ops::kMatmul, AllF32, scalar::Matmul, OutputRows),
    ByRows("mul_f32_scalar", &ops::kMul, AllF32, scalar::Mul, OutputRows),
    ByRows("rope_f32_scalar", &ops::kRope, AllF32, scalar::Rope, OutputDim0),
    ByRows("row_sum_squares_f32_scalar", &ops::kRowSumSquares, AllF32, scalar::RowSumSquares, Input0Rows),
    ByRows("rsqrt_f32_scalar", &ops::kRsqrt, AllF32, scalar::Rsqrt, OutputRows),
    ByRows("scale_f32_scalar", &ops::kScale, AllF32, scalar::Scale, OutputRows),
    ByRows("select_rows_f32_scalar", &ops::kSelectRows, AllF32, scalar::SelectRows, OutputDim0),
    ByRows("silu_f32_scalar", &ops::kSilu, AllF32, scalar::Silu, OutputRows),
    ByRows("slice_columns_f32_scalar", &ops::kSliceColumns, AllF32, scalar::SliceColumns, OutputRows),
    ByRows("softmax_f32_scalar", &ops::kSoftmax, AllF32, scalar::Softmax, OutputRows),
    ByRows("transpose_f32_scalar", &ops::kTranspose, AllF32, scalar::Transpose, OutputRows),
};
// clang-format on

}  // namespace

std::span<const CpuKernel> ScalarKernels() { return kKernels; }

}  // namespace infer
