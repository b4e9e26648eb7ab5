// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/renamed_kernels.h"

#include <cassert>
#include <string_view>

#include "ir/base/strings.h"

namespace infer {

RenamedKernels::RenamedKernels(std::span<const CpuKernel> table, Target target) {
  for (CpuKernel kernel : table) {
    std::string_view family = kernel.info.name;
    assert(family.ends_with(Name(kernel.info.target)));
    family.remove_suffix(Name(kernel.info.target).size());
    kernel.info.name = names_.emplace_back(StrCat(family, Name(target)));
    kernel.info.target = target;
    kernels_.push_back(kernel);
  }
}

}  // namespace infer
