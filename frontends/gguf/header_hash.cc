// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/header_hash.h"

// The layout of the state is public only this way; it then needs no allocation that can fail.
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "absl/strings/str_format.h"

namespace infer {

struct HeaderHash::State {
  XXH3_state_t hash;
};

HeaderHash::HeaderHash() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hash); }

HeaderHash::~HeaderHash() = default;

void HeaderHash::Add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(&state_->hash, bytes.data(), bytes.size());
}

std::string HeaderHash::Hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->hash);
  return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
}

}  // namespace infer
