// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/backend.h"
#include "runtime/kernel_registry.h"
#include "runtime/verify/rounding.h"

namespace infer {

// Maximum number of rows of a result that are compared: all rows if there are no more than this,
// else this many, evenly spaced, including the first and the last. 512 tokens of a 0.6B model have
// 1.1 GB of results.
inline constexpr int64_t kComparedRows = 64;
inline int64_t NumComparedRows(int64_t rows) { return rows < kComparedRows ? rows : kComparedRows; }
inline int64_t ComparedRow(int64_t i, int64_t rows) {
  return rows <= kComparedRows ? i : i * (rows - 1) / (kComparedRows - 1);
}

// The shape of a result by token: one row for each, with all other axes combined.
struct TokenRows {
  int64_t rows = 0;
  int64_t columns = 0;
  static TokenRows Of(const TensorView& view) {
    const int64_t rows = view.rank > 1 ? view.dim(0) : 1;
    return {rows, rows == 0 ? 0 : view.elements() / rows};
  }
  bool operator==(const TokenRows&) const = default;
};

// Whether a result can be compared: it must be a tensor of floats that the frontend named.
inline bool IsComparable(const NodeResult& result) {
  return !result.origin.empty() && result.type.is_tensor(DType::kF32);
}

// Stores the results of one call by their origins.
class ValueLog : public StepObserver {
 public:
  struct Entry {
    const Node* node = nullptr;
    Rounding rounding = Rounding::kFloat;  // accumulated up to it
    TokenRows shape;
    std::vector<float> values;  // of the compared rows
  };

  explicit ValueLog(const KernelRegistry& registry) : registry_(registry) {}

  // Called before each call.
  void Clear();
  void AfterStep(const Node& node, const KernelArgs& args) override;

  // Returns nullptr if the last call had no result of that origin.
  const Entry* Find(const std::string& origin) const;

 private:
  const KernelRegistry& registry_;
  Rounding rounding_ = Rounding::kFloat;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace infer
