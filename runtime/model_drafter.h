// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/drafter.h"
#include "runtime/session.h"

namespace infer {

// Proposes what a smaller model of the same vocabulary finds most likely, one token after the
// other.
class ModelDrafter : public Drafter {
 public:
  // `session` is the small model's and must outlive it.
  explicit ModelDrafter(Session* session) : session_(session) {}

  // Proposes nothing once the text is longer than the small model's context.
  absl::Status Propose(std::span<const int32_t> text, int64_t most, const std::atomic<bool>* stop,
                       std::vector<int32_t>* draft) override;

 private:
  Session* session_;
};

}  // namespace infer
