// SPDX-License-Identifier: Apache-2.0
//
// The form in which a collective sends a value: as f32, or rounded as the product that reads it
// rounds it anyway. What arrives is f32 again, and rounds to the same numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/graph/attr.h"
#include "ir/graph/graph.h"

namespace infer {

struct MessageForm {
  // As the numerics class of a product calls this rounding; empty: f32, not rounded.
  std::string_view name;
  int64_t block_elements;  // that are rounded together
  int64_t block_bytes;
  // How fast one thread rounds f32 to it, and makes f32 of it; 0: there is nothing to do. Measured
  // on a Xeon with vectors of 128 bits, which every x86-64 has.
  double write_gb_s = 0;
  double read_gb_s = 0;

  // The bytes of a message as a share of those in f32.
  constexpr double share() const {
    return static_cast<double>(block_bytes) / static_cast<double>(block_elements * 4);
  }
};

inline constexpr MessageForm kMessageForms[] = {
    {"", 1, 4}, {"bf16", 1, 2, 10, 40}, {"int8x32", 32, 36, 3.8, 5.2}};  // and a magnitude as f32

// Returns nullptr if no form has this name.
const MessageForm* FindMessageForm(std::string_view name);

namespace ops {

// The form of an all_gather, by its attributes.
const MessageForm& MessageOf(std::span<const Attr> attrs);
// Sets the form of an all_gather, and why it is sent so, in addition to why the value is needed.
void SetMessage(Node* all_gather, const MessageForm& form, std::string_view why);

}  // namespace ops
}  // namespace infer
