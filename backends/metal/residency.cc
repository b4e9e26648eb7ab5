// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/residency.h"

#include <utility>

#include "ir/status_macros.h"
#include "ir/strings.h"

namespace infer::metal {
namespace {

// MLX's default: a set holds at most this part of the working set, or one buffer that is larger.
constexpr uint64_t kSetsInWorkingSet = 20;
// As many as a queue takes, by Apple's documentation of addResidencySets. The last takes the rest.
constexpr size_t kMaxSets = 32;

bool SystemHasSets() {
#if defined(__APPLE__)
  if (__builtin_available(macOS 15.0, *)) return true;
  return false;
#else
  return true;
#endif
}

}  // namespace

Residency::~Residency() {
  Pool pool;
  for (const Ref<MTL::ResidencySet>& set : sets_) {
    device_->queue()->removeResidencySet(set.get());
    set->endResidency();
  }
}

absl::Status Residency::Add(std::span<MTL::Buffer* const> buffers) {
  if (!SystemHasSets()) return absl::OkStatus();
  Pool pool;
  const uint64_t most = device_->facts().working_set / kSetsInWorkingSet;
  size_t begin = 0;
  uint64_t bytes = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (i > begin && bytes + buffers[i]->length() > most && sets_.size() + 1 < kMaxSets) {
      RETURN_IF_ERROR(AddSet(buffers.subspan(begin, i - begin)));
      begin = i;
      bytes = 0;
    }
    bytes += buffers[i]->length();
  }
  return begin < buffers.size() ? AddSet(buffers.subspan(begin)) : absl::OkStatus();
}

absl::Status Residency::AddSet(std::span<MTL::Buffer* const> buffers) {
  Ref<MTL::ResidencySetDescriptor> descriptor = Own(MTL::ResidencySetDescriptor::alloc()->init());
  descriptor->setLabel(MTLSTR("infer"));
  descriptor->setInitialCapacity(buffers.size());
  NS::Error* error = nullptr;
  Ref<MTL::ResidencySet> set = Own(device_->get()->newResidencySet(descriptor.get(), &error));
  if (!set) {
    return absl::ResourceExhaustedError(StrCat("metal: no residency set: ", TextOf(error)));
  }
  for (MTL::Buffer* buffer : buffers) set->addAllocation(buffer);
  set->commit();
  set->requestResidency();
  device_->queue()->addResidencySet(set.get());
  sets_.push_back(std::move(set));
  return absl::OkStatus();
}

}  // namespace infer::metal
