// SPDX-License-Identifier: Apache-2.0
//
// Bounds on what a request may ask for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace infer::serve {

inline constexpr size_t kMaxJsonDepth = 64;
inline constexpr int64_t kMaxChoices = 16;
inline constexpr size_t kMaxPrompts = 64;  // of one completion request
inline constexpr size_t kMaxTexts = 2048;  // of one request for embeddings or scores
inline constexpr size_t kMaxMessages = 4096;
inline constexpr size_t kMaxContentParts = 4096;  // of one message
inline constexpr size_t kMaxTools = 128;
inline constexpr size_t kMaxToolNameBytes = 128;
inline constexpr size_t kMaxSchemaBytes = size_t{256} << 10;
inline constexpr size_t kMaxLogitBias = 1024;
inline constexpr int64_t kMaxTopLogprobs = 20;
inline constexpr size_t kMaxSaltBytes = 256;
inline constexpr size_t kMaxIgnoredNames = 16;

}  // namespace infer::serve
