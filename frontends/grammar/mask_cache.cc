// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/mask_cache.h"

#include <utility>

#include "absl/hash/hash.h"

namespace infer {
namespace {

// What a mask with its key and the entries of the tables take, roughly.
size_t EntryBytes(const MaskCache::Key& key, const TokenMask& mask) {
  constexpr size_t kOverhead = 128;
  return key.size() * sizeof(uint32_t) + mask.bytes() + kOverhead;
}

}  // namespace

size_t MaskCache::KeyHash::operator()(const Key& key) const { return absl::Hash<Key>()(key); }

std::shared_ptr<const TokenMask> MaskCache::Find(const Key& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const auto found = newer_.masks.find(key); found != newer_.masks.end()) {
    ++found_;
    return found->second;
  }
  const auto found = older_.masks.find(key);
  if (found == older_.masks.end()) {
    ++missed_;
    return nullptr;
  }
  ++found_;
  std::shared_ptr<const TokenMask> mask = std::move(found->second);
  older_.bytes -= EntryBytes(key, *mask);
  older_.masks.erase(found);
  Add(key, mask);
  return mask;
}

void MaskCache::Insert(Key key, std::shared_ptr<const TokenMask> mask) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (newer_.masks.contains(key) || older_.masks.contains(key)) return;
  Add(std::move(key), std::move(mask));
}

void MaskCache::Add(Key key, std::shared_ptr<const TokenMask> mask) {
  const size_t bytes = EntryBytes(key, *mask);
  if (bytes > limit_bytes_ / 2) return;
  if (newer_.bytes + bytes > limit_bytes_ / 2) older_ = std::exchange(newer_, Generation());
  newer_.bytes += bytes;
  newer_.masks.emplace(std::move(key), std::move(mask));
}

MaskCache::Counts MaskCache::counts() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return {found_, missed_, newer_.bytes + older_.bytes};
}

}  // namespace infer
