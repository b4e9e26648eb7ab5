// SPDX-License-Identifier: Apache-2.0
//
// top_k, for the largest logits of a row: long rows in parts, of which a second launch takes the
// largest.
#include <algorithm>
#include <array>

#include "backends/cuda/kernel_rows.h"
#include "backends/scalar/accepts.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::cuda {
namespace {

int64_t PartsOfRow(int64_t columns) {
  return std::clamp<int64_t>(columns / kTopPartColumns, 1, kTopParts);
}

void TopKModules(const Node&, std::vector<std::string_view>& out) { out.push_back("top_k"); }

void LaunchTopK(const KernelArgs& args, const DeviceBatch&, std::vector<Launch>& out) {
  const TensorView& x = args.in(0);
  const int64_t parts = PartsOfRow(x.columns());
  const TopKArgs top = {.ids = args.out(0).mutable_i32(),
                        .values = args.out(1).mutable_f32(),
                        .x = x.f32(),
                        .keys = DeviceAddress<uint64_t>(args.workspace),
                        .columns = static_cast<uint32_t>(x.columns()),
                        .k = static_cast<uint32_t>(ops::TopKOf(args.attrs).k),
                        .parts = static_cast<uint32_t>(parts),
                        .part_columns = CeilDiv(x.columns(), parts)};
  const uint32_t rows = static_cast<uint32_t>(x.rows());
  if (parts > 1) {
    AddLaunch("top_k", "top_k_parts", top, {rows, top.parts}, kTopThreads, kTopSharedBytes, out);
  }
  AddLaunch("top_k", parts > 1 ? "top_k_merge" : "top_k_row", top, {rows, 1}, kTopThreads,
            kTopSharedBytes, out);
}

uint64_t TopKWorkspace(const Node& node, const SymbolRanges& symbols) {
  const ValueType& x = node.input(0).type();
  const Dim rows = x.dim(0);
  const Range range = rows.is_symbol() ? symbols[rows.symbol()] : Range{rows.value(), rows.value()};
  const int64_t parts = PartsOfRow(x.dim(1).value());
  if (parts == 1 || !range.is_set()) return 0;
  return static_cast<uint64_t>(range.max * parts * ops::TopKOf(node.attrs()).k) * sizeof(uint64_t);
}

Decision AcceptsTopK(const Node& node) {
  const ops::TopKParams params = ops::TopKOf(node.attrs());
  if (params.normed) return Decision::Reject("the kernel does not divide by the sum");
  if (params.k > int64_t{kTopMost}) {
    return Decision::Reject(
        StrCat("takes ", params.k, " elements; the kernel takes ", int64_t{kTopMost}, " at most"));
  }
  return scalar::AllF32(node);
}

constexpr auto kTopKTable = [] {
  CudaKernel kernel = Kernel("top_k_f32_cuda", &ops::kTopK, AcceptsTopK, TopKModules, LaunchTopK);
  kernel.info.workspace_bytes = TopKWorkspace;
  return RowByRow(std::array{kernel});
}();

}  // namespace

std::span<const CudaKernel> TopKTable() { return kTopKTable; }

}  // namespace infer::cuda
