// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/scalar/ops.h"

namespace infer::scalar {

void Copy(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.out().columns();
  std::copy_n(args.in(0).f32() + begin * columns, (end - begin) * columns,
              args.out().mutable_f32() + begin * columns);
}

}  // namespace infer::scalar
