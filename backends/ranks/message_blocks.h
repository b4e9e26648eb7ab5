// SPDX-License-Identifier: Apache-2.0
//
// Values as they travel between ranks: as f32 or in a shorter form (ir/ops/message.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "ir/ops/message.h"

namespace infer {

// Writes `elements` floats, whole blocks, in this form.
void WriteMessage(const MessageForm& form, const float* values, int64_t elements, std::byte* to);

// Reads them back: not the values that were written, but values that a product which rounds to this
// form rounds to the same numbers and scales, bit for bit.
void ReadMessage(const MessageForm& form, const std::byte* from, int64_t elements, float* values);

}  // namespace infer
