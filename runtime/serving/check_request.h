// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "runtime/engine.h"
#include "runtime/serving/token_request.h"

namespace infer {

inline constexpr int32_t kMaxChoices = 128;
inline constexpr int32_t kMaxTopLogprobs = 64;

// Returns kInvalidArgument if tokens are not in the vocabulary or there are none, and kOutOfRange
// if they do not fit the context.
absl::Status CheckPrompt(std::span<const int32_t> prompt, const Engine& engine);

// Checks everything that a client can choose.
absl::Status CheckRequest(const TokenRequest& request, const Engine& engine);

}  // namespace infer
