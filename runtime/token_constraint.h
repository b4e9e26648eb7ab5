// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace infer {

// Restricts the tokens of a text, as a grammar does. Follows the text token by token, so one object
// serves one text.
class TokenConstraint {
 public:
  virtual ~TokenConstraint() = default;
  // Appends to `tokens` up to `most` tokens that must come next whatever the logits are; none where
  // there is a choice. They are not sampled, and a call of the model runs all of them at once.
  virtual void Force(int64_t most, std::vector<int32_t>* tokens) const = 0;
  // Whether this token may come next. Asked for the likeliest tokens one by one, which is cheaper
  // than Refuse as long as most of them may.
  virtual bool Allows(int32_t token) const = 0;
  // Sets the logits of the tokens that must not come next, those that Allows refuses, to -infinity.
  virtual void Refuse(std::span<float> logits) const = 0;
  // The text goes on with this token.
  virtual void Accept(int32_t token) = 0;
};

}  // namespace infer
