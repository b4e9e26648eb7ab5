// SPDX-License-Identifier: Apache-2.0
//
// The form in which a collective sends a value: as f32, or rounded as the product that reads it
// rounds it anyway. What arrives is f32 again, and rounds to the same numbers; or it stays as it
// was sent, if all who read it take it so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/attr.h"
#include "ir/graph/graph.h"
#include "ir/graph/op_def.h"

namespace infer {

struct MessageForm {
  // As the numerics class of a product calls this rounding; empty: f32, not rounded.
  std::string_view name;
  int64_t block_elements;  // that are rounded together
  int64_t block_bytes;
  // The type of a result that stays in this form; none: what arrives must become f32 again.
  std::optional<DType> stays_as = {};

  // The bytes of a message as a share of those in f32.
  constexpr double share() const {
    return static_cast<double>(block_bytes) / static_cast<double>(block_elements * 4);
  }
};

inline constexpr MessageForm kMessageForms[] = {{"", 1, 4, DType::kF32},
                                                {"bf16", 1, 2, DType::kBF16},
                                                {"int8x32", 32, 36}};  // and a magnitude as f32

// Returns nullptr if no form has this name.
const MessageForm* FindMessageForm(std::string_view name);

namespace ops {

// The form of an all_gather, by its attributes.
const MessageForm& MessageOf(std::span<const Attr> attrs);
// The form of a collective's messages, as descriptions of machines call it: "f32", "bf16", or
// kStayingType.
std::string_view MessageType(const Node& collective);
// Sets the form of an all_gather, and why it is sent so, in addition to why the value is needed.
void SetMessage(Node* all_gather, const MessageForm& form, std::string_view why);

// To what results of collectives can be rounded for good; their attribute `stays` lists which are.
inline constexpr const MessageForm& kStayingForm = kMessageForms[1];
inline constexpr std::string_view kStayingType = "bf16_stays";
// Makes f32 result `i` of an all_gather or all_rows stay rounded, and says why.
void StayRounded(Node* collective, int i, std::string_view why);
// For the infer of such an op: the types of its results if attribute number `attr` lists those that
// stay rounded and `types` are theirs as f32.
absl::StatusOr<std::vector<ValueType>> TypesThatStay(const OpArgs& args, int attr,
                                                     std::vector<ValueType> types);

}  // namespace ops
}  // namespace infer
