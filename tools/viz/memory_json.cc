// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/memory_json.h"

#include "ir/base/json.h"

namespace infer {
Json MemoryJson(const Program& program, const RunMemory& memory) {
  const MemoryEstimate& estimate = memory.estimate;
  return {{"weights", estimate.weights},
          {"kv", estimate.kv},
          {"context", program.symbols[Symbol::kS].max},
          {"arena", estimate.arena},
          {"scratch", estimate.scratch},
          {"threads", estimate.threads},
          {"tokenizer", memory.has_tokenizer ? Json(estimate.tokenizer) : Json(nullptr)},
          {"other", estimate.other},
          {"total", estimate.total()}};
}

}  // namespace infer
