// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph/dtype.h"
#include "ir/graph/placement.h"
#include "tools/cli/flags.h"
#include "tools/flags/thread_flags.h"

namespace infer {

// The shape of a call. Which numbers apply depends on the op.
struct OpShape {
  int64_t rows = 1;     // tokens
  int64_t columns = 1;  // of the result: rows of the weight
  int64_t inner = 1;    // length of a weight row
  int64_t depth = 0;    // cache entries before the call
  int64_t heads = 16;
  int64_t kv_heads = 8;
  int64_t head_dim = 128;
  DType type = DType::kF32;  // of the weight, or of the cache
};

struct OpOptions {
  std::string op = "linear";
  std::vector<std::string> row_texts = {"1"};
  std::vector<std::string> column_texts = {"3072"};
  std::vector<std::string> inner_texts = {"1024"};
  std::vector<std::string> depth_texts = {"0"};
  std::vector<std::string> type_texts;  // empty means q8_0, or f16 for a cache
  std::vector<std::string> target_texts = {"simd"};
  int64_t heads = 16;
  int64_t kv_heads = 8;
  int64_t head_dim = 128;
  bool float_activations = false;
  ThreadRequest threads;
  std::optional<bool> cold;  // if not given, cold up to kColdRows rows
  double min_time_s = 0.2;

  // Filled in by CompleteOp.
  std::vector<OpShape> shapes;
  std::vector<Target> targets;
};

// Up to this many rows a product is bound by reading its weights, which in a model come from memory
// in every call.
inline constexpr int64_t kColdRows = 8;

void RegisterOpFlags(Flags& flags, OpOptions* options);
absl::Status CompleteOp(OpOptions* options);

}  // namespace infer
