// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace infer {

enum class BenchFormat { kMd, kCsv, kJson, kJsonl };

}  // namespace infer
