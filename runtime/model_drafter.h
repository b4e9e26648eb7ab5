// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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
  // `session` is the small model's and must outlive it. `vocabulary` is the number of tokens that
  // the text's model knows.
  ModelDrafter(Session* session, int64_t vocabulary)
      : session_(session), tokens_(std::min(vocabulary, session->vocabulary())) {}

  absl::Status Begin(std::span<const int32_t> prompt, const std::atomic<bool>* stop) override;
  // Proposes nothing once the text is longer than the small model's context, or if it has a token
  // that the small model does not know.
  absl::Status Propose(std::span<const int32_t> text, int64_t most, const std::atomic<bool>* stop,
                       std::vector<int32_t>* draft) override;

 private:
  bool Knows(std::span<const int32_t> text) const;

  Session* session_;
  int64_t tokens_;  // that both models know
};

}  // namespace infer
