// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "ir/base/strings.h"
#include "tests/metal_emulation/device/state.h"

namespace MTL {

namespace emulation = infer::emulation;

namespace {

void Add(std::set<const Allocation*>& set, const Allocation* allocation) {
  if (set.insert(allocation).second) const_cast<Allocation*>(allocation)->retain();
}
void Remove(std::set<const Allocation*>& set, const Allocation* allocation) {
  if (set.erase(allocation) > 0) const_cast<Allocation*>(allocation)->release();
}
void Clear(std::set<const Allocation*>& set) {
  for (const Allocation* const allocation : set) const_cast<Allocation*>(allocation)->release();
  set.clear();
}

}  // namespace

ResidencySetDescriptor::ResidencySetDescriptor() : state(new State) {}
ResidencySetDescriptor::~ResidencySetDescriptor() = default;
ResidencySetDescriptor* ResidencySetDescriptor::alloc() { return new ResidencySetDescriptor; }
ResidencySetDescriptor* ResidencySetDescriptor::init() { return this; }
void ResidencySetDescriptor::setLabel(const NS::String* label) {
  emulated_label = label->emulated_text;
}
void ResidencySetDescriptor::setInitialCapacity(NS::UInteger) {}

ResidencySet::ResidencySet() : state(new State) {}
ResidencySet::~ResidencySet() {
  if (state->requested) {
    emulation::ReportProblem(
        infer::StrCat("residency set '", emulated_label, "' came to its end without endResidency"));
  }
  if (state->on_queue && !state->ever_requested) {
    emulation::Count(&emulation::Counters::sets_never_requested);
  }
  Clear(state->pending);
  Clear(state->committed);
}

void ResidencySet::addAllocation(const Allocation* allocation) {
  const std::lock_guard lock(emulation::DeviceMutex());
  Add(state->pending, allocation);
}
void ResidencySet::addAllocations(const Allocation* const allocations[], NS::UInteger count) {
  for (NS::UInteger i = 0; i < count; ++i) addAllocation(allocations[i]);
}
void ResidencySet::removeAllocation(const Allocation* allocation) {
  const std::lock_guard lock(emulation::DeviceMutex());
  Remove(state->pending, allocation);
}
void ResidencySet::removeAllocations(const Allocation* const allocations[], NS::UInteger count) {
  for (NS::UInteger i = 0; i < count; ++i) removeAllocation(allocations[i]);
}
void ResidencySet::removeAllAllocations() {
  const std::lock_guard lock(emulation::DeviceMutex());
  Clear(state->pending);
}
bool ResidencySet::containsAllocation(const Allocation* allocation) {
  const std::lock_guard lock(emulation::DeviceMutex());
  return state->pending.contains(allocation);
}
NS::UInteger ResidencySet::allocationCount() const {
  const std::lock_guard lock(emulation::DeviceMutex());
  return state->pending.size();
}
uint64_t ResidencySet::allocatedSize() const {
  const std::lock_guard lock(emulation::DeviceMutex());
  uint64_t bytes = 0;
  for (const Allocation* const allocation : state->committed) bytes += allocation->allocatedSize();
  return bytes;
}
void ResidencySet::commit() {
  const std::lock_guard lock(emulation::DeviceMutex());
  for (const Allocation* const allocation : state->pending) Add(state->committed, allocation);
  const std::set<const Allocation*> before = state->committed;
  for (const Allocation* const allocation : before) {
    if (!state->pending.contains(allocation)) Remove(state->committed, allocation);
  }
}
// Asking again and again is right: what was added since is made resident too.
void ResidencySet::requestResidency() {
  const std::lock_guard lock(emulation::DeviceMutex());
  state->requested = state->ever_requested = true;
  emulation::Count(&emulation::Counters::residency_requests);
}
void ResidencySet::endResidency() {
  const std::lock_guard lock(emulation::DeviceMutex());
  state->requested = false;
}
NS::String* ResidencySet::label() const { return emulation::AutoreleasedString(emulated_label); }

ResidencySet* Device::newResidencySet(const ResidencySetDescriptor* descriptor, NS::Error** error) {
  emulation::Count(&emulation::Counters::residency_sets);
  if (!emulation::settings().has_residency_sets) {
    emulation::SetError(error, "residency sets need macOS 15");
    return nullptr;
  }
  auto* const set = new ResidencySet;
  set->emulated_label = descriptor->emulated_label;
  return set;
}

}  // namespace MTL
