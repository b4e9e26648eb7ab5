// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/logit_row.h"

namespace infer {

inline bool Contains(std::span<const int32_t> tokens, int32_t token) {
  return std::ranges::find(tokens, token) != tokens.end();
}

inline void Exclude(std::span<const int32_t> tokens, std::span<float> logits) {
  for (const int32_t id : tokens) {
    if (static_cast<size_t>(id) < logits.size()) logits[static_cast<size_t>(id)] = kExcludedLogit;
  }
}

// Keeps the logits of a few tokens through what another constraint refuses: they are restored when
// the object ends.
class LogitExceptions {
 public:
  LogitExceptions(std::span<const int32_t> tokens, std::span<float> logits) : logits_(logits) {
    for (const int32_t id : tokens) {
      const auto index = static_cast<size_t>(id);
      if (index < logits.size()) kept_.push_back({index, logits[index]});
    }
  }
  ~LogitExceptions() {
    for (const Kept& kept : kept_) logits_[kept.index] = kept.logit;
  }
  LogitExceptions(const LogitExceptions&) = delete;
  LogitExceptions& operator=(const LogitExceptions&) = delete;

 private:
  struct Kept {
    size_t index;
    float logit;
  };
  std::span<float> logits_;
  std::vector<Kept> kept_;
};

}  // namespace infer
