// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/base/json.h"
#include "ir/program/program.h"
#include "tools/api/memory_estimate.h"

namespace infer {

// What a run of a Program needs, as infer-compile --dry-run says.
struct RunMemory {
  MemoryEstimate estimate;
  bool has_tokenizer = false;  // the model's file was there to count it
};

Json MemoryJson(const Program& program, const RunMemory& memory);

}  // namespace infer
