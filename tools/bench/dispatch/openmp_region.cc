// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/dispatch/openmp_region.h"

#include <climits>

// Declared here because the header of LLVM's runtime is not on the path of every compiler that can
// use it.
extern "C" void kmp_set_blocktime(int milliseconds);

namespace infer {

void SetOpenMpWait(OpenMpWait wait) {
  constexpr int kDefaultMs = 200;
  kmp_set_blocktime(wait == OpenMpWait::kActive    ? INT_MAX
                    : wait == OpenMpWait::kPassive ? 0
                                                   : kDefaultMs);
}

void RunEmptyOpenMpRegion(int threads) {
#pragma omp parallel num_threads(threads)
  {
    // Keeps the compiler from dropping an empty body.
    asm volatile("");
  }
}

}  // namespace infer
