// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/residency.h"

#include <algorithm>
#include <utility>

namespace infer::metal {
namespace {

constexpr uint64_t kSetsInWorkingSet = 20;
// The limit of a queue according to Apple's documentation of addResidencySets.
constexpr size_t kMaxSets = 32;

// macOS 14 has no such method, and the call would crash the program.
bool SystemKnowsSets() {
#if defined(__APPLE__)
  if (__builtin_available(macOS 15.0, *)) return true;
  return false;
#else
  return true;
#endif
}

Ref<MTL::ResidencySet> NewSet(MTL::Device* device) {
  Ref<MTL::ResidencySetDescriptor> descriptor = Own(MTL::ResidencySetDescriptor::alloc()->init());
  descriptor->setLabel(MTLSTR("infer"));
  NS::Error* error = nullptr;
  return Own(device->newResidencySet(descriptor.get(), &error));
}

}  // namespace

bool HasResidencySets(MTL::Device* device) {
  if (!SystemKnowsSets()) return false;
  Pool pool;
  const Ref<MTL::ResidencySet> set = NewSet(device);
  return set.get() != nullptr;
}

uint64_t ResidencySetBytes(uint64_t working_set) { return working_set / kSetsInWorkingSet; }

ResidencySets::~ResidencySets() {
  Pool pool;
  const std::lock_guard lock(mutex_);
  for (const Set& set : sets_) {
    queue_->removeResidencySet(set.set.get());
    set.set->endResidency();
  }
  sets_.clear();
}

size_t ResidencySets::size() const {
  const std::lock_guard lock(mutex_);
  return sets_.size();
}

void ResidencySets::Add(std::span<MTL::Buffer* const> buffers) {
  if (!available_) return;
  Pool pool;
  const std::lock_guard lock(mutex_);
  for (MTL::Buffer* buffer : buffers) {
    Set* set = FindRoom(buffer->length());
    if (set == nullptr) return;
    if (!set->buffers.insert(buffer).second) continue;
    set->set->addAllocation(buffer);
    set->bytes += buffer->length();
    set->changed = true;
  }
  Commit();
}

void ResidencySets::Remove(std::span<MTL::Buffer* const> buffers) {
  Pool pool;
  const std::lock_guard lock(mutex_);
  for (MTL::Buffer* buffer : buffers) {
    for (Set& set : sets_) {
      if (set.buffers.erase(buffer) == 0) continue;
      set.set->removeAllocation(buffer);
      set.bytes -= buffer->length();
      set.changed = true;
    }
  }
  std::erase_if(sets_, [this](const Set& set) {
    if (!set.buffers.empty()) return false;
    queue_->removeResidencySet(set.set.get());
    set.set->endResidency();
    return true;
  });
  Commit();
}

ResidencySets::Set* ResidencySets::FindRoom(uint64_t bytes) {
  for (Set& set : sets_) {
    if (set_bytes_ == 0 || (set.bytes <= set_bytes_ && bytes <= set_bytes_ - set.bytes)) {
      return &set;
    }
  }
  if (sets_.size() < kMaxSets) {
    if (Set* made = Make(); made != nullptr) return made;
  }
  return sets_.empty() ? nullptr : &*std::ranges::min_element(sets_, {}, &Set::bytes);
}

ResidencySets::Set* ResidencySets::Make() {
  Ref<MTL::ResidencySet> made = NewSet(device_);
  if (!made) return nullptr;
  queue_->addResidencySet(made.get());
  sets_.push_back({.set = std::move(made)});
  return &sets_.back();
}

// Nothing is wired before the set has been committed, and later additions not before the next
// request.
void ResidencySets::Commit() {
  for (Set& set : sets_) {
    if (!std::exchange(set.changed, false)) continue;
    set.set->commit();
    set.set->requestResidency();
  }
}

}  // namespace infer::metal
