// SPDX-License-Identifier: Apache-2.0
//
// The largest numbers a GGUF file may contain. Each is far above anything a real model needs and
// far below what would cost a noticeable amount of time or memory.
#pragma once

#include <cstdint>

namespace infer::gguf_limits {

inline constexpr uint64_t kMaxKeyBytes = 65535;       // the format's own limit
inline constexpr uint64_t kMaxTensorNameBytes = 64;   // the format's own limit
inline constexpr uint64_t kMaxMetadataCount = 65536;  // real models: 20 to 60
inline constexpr uint64_t kMaxTensorCount = 65536;    // real models: 200 to 2,000
inline constexpr uint64_t kMaxStringBytes = 64 << 20;
inline constexpr uint64_t kMaxTemplateBytes = 1 << 20;  // Qwen3's has about 4 KiB
inline constexpr uint64_t kMaxTokenBytes = 64 << 10;
inline constexpr uint64_t kMaxMergeBytes = kMaxTokenBytes + 1;  // two tokens with a space between
inline constexpr uint64_t kMaxArrayElements = 16 << 20;
inline constexpr uint64_t kMaxTokens = 4 << 20;  // Qwen3: 151,936 tokens and 151,387 merges
inline constexpr int kMaxArrayDepth = 4;         // real files do not nest arrays
inline constexpr uint64_t kMaxDims = 4;
inline constexpr uint64_t kMaxDim = (uint64_t{1} << 31) - 1;
inline constexpr uint64_t kMaxElements = (uint64_t{1} << 40) - 1;
inline constexpr uint64_t kDefaultAlignment = 32;
inline constexpr uint64_t kMinAlignment = 8;
inline constexpr uint64_t kMaxAlignment = 65536;

// Limit for header, metadata and tensor index together. The limits above still allow a sparse file
// with terabytes of empty strings; this one bounds the time to walk and hash them (Qwen3: 6 MB).
inline constexpr uint64_t kMaxHeaderBytes = 256 << 20;

}  // namespace infer::gguf_limits
