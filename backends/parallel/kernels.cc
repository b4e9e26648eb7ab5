// SPDX-License-Identifier: Apache-2.0
#include "backends/parallel/kernels.h"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "backends/simd/kernels.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

struct Table {
  std::vector<CpuKernel> kernels;
  std::deque<std::string> names;
};

Table MakeTable() {
  constexpr std::string_view kSimd = "_simd";
  Table table;
  for (CpuKernel kernel : SimdKernels()) {
    std::string_view family = kernel.info.name;
    family.remove_suffix(kSimd.size());  // every kernel of simd ends with it; a test says so
    kernel.info.name = table.names.emplace_back(StrCat(family, "_parallel"));
    kernel.info.target = Target::kParallel;
    table.kernels.push_back(kernel);
  }
  return table;
}

}  // namespace

std::span<const CpuKernel> ParallelKernels() {
  static const Table table = MakeTable();
  return table.kernels;
}

}  // namespace infer
