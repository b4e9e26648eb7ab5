// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops, norms, argmax, embed and select_rows.
#include "backends/cuda/row_launches.h"

#include <array>
#include <iterator>
#include <utility>

#include "backends/cuda/kernel_rows.h"
#include "backends/cuda/weight_types.h"
#include "backends/formats/kernel_name.h"
#include "backends/scalar/accepts.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::cuda {
namespace {

constexpr uint64_t kReduceBytes = 32 * sizeof(float);  // shared memory of sums over a block

void ElementModules(const Node&, std::vector<std::string_view>& out) {
  out.push_back("elementwise");
}
void RowModules(const Node&, std::vector<std::string_view>& out) { out.push_back("rows"); }
void EmbedModules(const Node&, std::vector<std::string_view>& out) { out.push_back("embed"); }

void AddElements(const char* function, const TensorView& x, const TensorView* y,
                 const TensorView& result, std::vector<Launch>& out) {
  const auto count = static_cast<uint32_t>(result.elements());
  const ElementArgs args = {.out = result.mutable_f32(),
                            .x = x.f32(),
                            .y = y == nullptr ? nullptr : y->f32(),
                            .count = count,
                            .period = y == nullptr ? count : static_cast<uint32_t>(y->elements())};
  AddLaunch("elementwise", function, args, {CeilDiv(count, kElementThreads)}, kElementThreads, 0,
            out);
}

void LaunchAdd(const KernelArgs& args, const DeviceBatch&, std::vector<Launch>& out) {
  AddElements("add_f32", args.in(0), &args.in(1), args.out(), out);
}
void LaunchMul(const KernelArgs& args, const DeviceBatch&, std::vector<Launch>& out) {
  AddElements("mul_f32", args.in(0), &args.in(1), args.out(), out);
}
void LaunchSilu(const KernelArgs& args, const DeviceBatch&, std::vector<Launch>& out) {
  AddElements("silu_f32", args.in(0), nullptr, args.out(), out);
}
void LaunchSwiglu(const KernelArgs& args, const DeviceBatch&, std::vector<Launch>& out) {
  AddSwiglu(args.in(0), args.in(1), args.out(), /*fast=*/false, out);
}

void LaunchRmsNorm(const KernelArgs& args, const DeviceBatch&, std::vector<Launch>& out) {
  AddRmsNorm(args.in(0), args.in(1).f32(), static_cast<float>(ops::RmsNormEps(args.attrs)),
             args.out(), out);
}

void LaunchAddRmsNorm(const KernelArgs& args, const DeviceBatch&, std::vector<Launch>& out) {
  const TensorView& x = args.in(0);
  const RowArgs row = {.out = args.out(1).mutable_f32(),
                       .sum = args.out(0).mutable_f32(),
                       .x = x.f32(),
                       .y = args.in(1).f32(),
                       .weight = args.in(2).f32(),
                       .columns = static_cast<uint32_t>(x.columns()),
                       .eps = static_cast<float>(ops::RmsNormEps(args.attrs))};
  AddLaunch("rows", "add_rms_norm_f32", row, {static_cast<uint32_t>(x.rows())}, kRowThreads,
            kReduceBytes, out);
}

void LaunchArgmax(const KernelArgs& args, const DeviceBatch&, std::vector<Launch>& out) {
  const TensorView& x = args.in(0);
  const ArgmaxArgs row = {.index = args.out(0).mutable_i32(),
                          .probability = args.out(1).mutable_f32(),
                          .x = x.f32(),
                          .columns = static_cast<uint32_t>(x.columns())};
  AddLaunch("rows", "argmax_f32", row, {static_cast<uint32_t>(x.rows())}, kRowThreads, kReduceBytes,
            out);
}

void LaunchSelectRows(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  const TensorView& result = args.out();
  const int64_t rows = result.dim(0), columns = rows == 0 ? 0 : result.elements() / rows;
  const GatherArgs gather = {.out = result.mutable_f32(),
                             .x = args.in(0).f32(),
                             .rows = batch.out_rows,
                             .count = static_cast<uint32_t>(rows),
                             .columns = static_cast<uint32_t>(columns)};
  AddLaunch("elementwise", "gather_rows_f32", gather, {CeilDiv(rows * columns, kElementThreads)},
            kElementThreads, 0, out);
}

template <DType kType>
void LaunchEmbed(const KernelArgs& args, const DeviceBatch&, std::vector<Launch>& out) {
  const WeightType& type = *FindWeight(kType);
  const TensorView& table = args.in(0);
  const int64_t tokens = args.in(1).elements(), columns = table.columns();
  const EmbedArgs embed = {.out = args.out().mutable_f32(),
                           .table = WeightArgsOf(type, table.data, table.rows(), columns),
                           .tokens = args.in(1).i32(),
                           .count = static_cast<uint32_t>(tokens),
                           .columns = static_cast<uint32_t>(columns)};
  AddLaunch("embed", StrCat("embed_", type.name), embed,
            {CeilDiv(columns / type.unit_elements, kElementThreads), static_cast<uint32_t>(tokens)},
            kElementThreads, 0, out);
}

template <DType kType>
Decision AcceptsTable(const Node& node) {
  const ValueType& table = node.input(0).type();
  const int64_t unit = FindWeight(kType)->unit_elements;
  if (table.tensor.dtype == kType && table.dim(1).value() % unit != 0) {
    return Decision::Reject(
        StrCat("rows of ", table.dim(1).value(), "; the kernel reads ", unit, " elements at once"));
  }
  return scalar::InputIs(node, 0, kType);
}

template <DType kType>
std::string_view TableLayout(const Node&, int input) {
  return input == 0 ? FindWeight(kType)->layout : kGgufLayout;
}

// The kernel reads floats.
Decision SelectsF32(const Node& node) { return scalar::AllF32(node); }

template <DType kType>
constexpr CudaKernel Embed() {
  CudaKernel kernel = Kernel(KernelName<"embed", kType, "cuda">, &ops::kEmbed, AcceptsTable<kType>,
                             EmbedModules, LaunchEmbed<kType>);
  kernel.info.weight_layout = TableLayout<kType>;
  return kernel;
}

constexpr auto kRowTable = []<size_t... kAt>(std::index_sequence<kAt...>) {
  return RowByRow(std::array{
      Kernel("add_f32_cuda", &ops::kAdd, scalar::AllF32, ElementModules, LaunchAdd),
      Kernel("mul_f32_cuda", &ops::kMul, scalar::AllF32, ElementModules, LaunchMul),
      Kernel("silu_f32_cuda", &ops::kSilu, scalar::AllF32, ElementModules, LaunchSilu),
      Kernel("swiglu_f32_cuda", &ops::kSwiglu, scalar::AllF32, ElementModules, LaunchSwiglu),
      Kernel("rms_norm_f32_cuda", &ops::kRmsNorm, scalar::AllF32, RowModules, LaunchRmsNorm),
      Kernel("add_rms_norm_f32_cuda", &ops::kAddRmsNorm, scalar::AllF32, RowModules,
             LaunchAddRmsNorm),
      Kernel("argmax_f32_cuda", &ops::kArgmax, scalar::AllF32, RowModules, LaunchArgmax),
      Kernel("select_rows_f32_cuda", &ops::kSelectRows, SelectsF32, ElementModules,
             LaunchSelectRows),
      Embed<kWeightTypes[kAt].dtype>()...});
}(std::make_index_sequence<std::size(kWeightTypes)>());

}  // namespace

void AddRmsNorm(const TensorView& x, const float* weight, float eps, const TensorView& result,
                std::vector<Launch>& out) {
  const RowArgs row = {.out = result.mutable_f32(),
                       .sum = nullptr,
                       .x = x.f32(),
                       .y = nullptr,
                       .weight = weight,
                       .columns = static_cast<uint32_t>(x.columns()),
                       .eps = eps};
  AddLaunch("rows", "rms_norm_f32", row, {static_cast<uint32_t>(x.rows())}, kRowThreads,
            kReduceBytes, out);
}

void AddSwiglu(const TensorView& gate, const TensorView& up, const TensorView& result, bool fast,
               std::vector<Launch>& out) {
  AddElements(fast ? "fast_swiglu_f32" : "swiglu_f32", gate, &up, result, out);
}

std::span<const CudaKernel> RowTable() { return kRowTable; }

}  // namespace infer::cuda
