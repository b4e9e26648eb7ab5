// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/device/hazards.h"

#include <algorithm>
#include <utility>

#include "ir/base/strings.h"

namespace infer::emulation {
namespace {

bool Tracked(const MTL::Buffer& buffer) {
  return !(buffer.state->options & MTL::ResourceHazardTrackingModeUntracked);
}

std::byte* Address(const MTL::Buffer& buffer, NS::UInteger offset) {
  return static_cast<std::byte*>(buffer.state->contents) + offset;
}

// Calls `function` with each bound buffer of the kernel, its parameter and its type.
template <class F>
void ForEachBuffer(const Command& command, F&& function) {
  const Kernel& kernel = *command.pipeline->state->kernel;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    if (parameter.kind != ParameterKind::kBuffer) continue;
    function(command.bindings[static_cast<size_t>(parameter.index)], parameter, kernel.types[i]);
  }
}

// Of all buffers that the region is made of.
bool Tracked(const Command& command, const Region& region) {
  bool tracked = true;
  ForEachBuffer(command, [&](const Binding& binding, const Parameter&, const ParameterType&) {
    if (binding.buffer == nullptr) return;
    const std::byte* const begin = Address(*binding.buffer, 0);
    if (begin >= region.begin && begin < region.begin + region.bytes) {
      tracked &= Tracked(*binding.buffer);
    }
  });
  return tracked;
}

}  // namespace

std::vector<Region> RegionsOf(const Command& command) {
  std::vector<Region> regions;
  ForEachBuffer(command, [&](const Binding& binding, const Parameter&, const ParameterType&) {
    if (binding.bytes != nullptr) {
      regions.push_back({reinterpret_cast<std::byte*>(binding.bytes->data()), binding.bytes->size(),
                         /*traced=*/false});
    } else if (binding.buffer != nullptr && IsLive(binding.buffer)) {
      regions.push_back({Address(*binding.buffer, 0), binding.buffer->length(), /*traced=*/true});
    }
  });
  std::ranges::sort(regions, {}, &Region::begin);
  size_t kept = 0;
  for (const Region& region : regions) {
    if (kept > 0 && region.begin < regions[kept - 1].begin + regions[kept - 1].bytes) {
      Region& last = regions[kept - 1];
      const std::byte* const end = std::max(last.begin + last.bytes, region.begin + region.bytes);
      last.bytes = static_cast<size_t>(end - last.begin);
    } else {
      regions[kept++] = region;
    }
  }
  regions.resize(kept);
  return regions;
}

std::string HazardTracker::Access::Who(const std::byte* address) const {
  const Bound* nearest = nullptr;
  for (const Bound& bound : *names) {
    if (bound.address > address || (writes && !bound.writes)) continue;
    if (nearest == nullptr || bound.address >= nearest->address) nearest = &bound;
  }
  return nearest == nullptr ? names->front().name : nearest->name;
}

std::string HazardTracker::Add(Access access, std::vector<Access>& fresh) const {
  if (access.spans.empty()) return "";
  for (const Access& earlier : accesses_) {
    if (!earlier.writes && !access.writes) continue;
    const bool same = earlier.encoder == access.encoder;
    if (same ? earlier.ordered : earlier.tracked && access.tracked) continue;
    const std::byte* const common = FirstCommon(earlier.spans, access.spans);
    if (common == nullptr) continue;
    return StrCat("conflict: ", earlier.Who(common), " and ", access.Who(common),
                  same ? " touch the same bytes with no memoryBarrier between them"
                       : " touch the same bytes of an untracked buffer in two encoders with "
                         "nothing that orders them");
  }
  fresh.push_back(std::move(access));
  return "";
}

void HazardTracker::Keep(std::vector<Access> fresh) {
  for (Access& access : fresh) accesses_.push_back(std::move(access));
}

std::string HazardTracker::AddDispatch(const Command& command, const std::vector<Region>& regions,
                                       const std::vector<RegionAccesses>& accesses) {
  const char* const kernel = command.pipeline->state->kernel->name;
  const auto names = std::make_shared<Names>();
  ForEachBuffer(command,
                [&](const Binding& binding, const Parameter& parameter, const ParameterType& type) {
                  if (binding.buffer == nullptr) return;
                  names->push_back({Address(*binding.buffer, binding.offset), type.writes,
                                    StrCat("'", parameter.name, "' of kernel '", kernel, "'")});
                });
  std::vector<Access> fresh;
  for (size_t i = 0; i < regions.size(); ++i) {
    if (!regions[i].traced) continue;
    const bool tracked = Tracked(command, regions[i]);
    for (const bool writes : {false, true}) {
      std::string conflict = Add({.spans = writes ? accesses[i].writes : accesses[i].reads,
                                  .writes = writes,
                                  .tracked = tracked,
                                  .encoder = command.encoder,
                                  .names = names},
                                 fresh);
      if (!conflict.empty()) return conflict;
    }
  }
  Keep(std::move(fresh));
  return "";
}

std::string HazardTracker::AddBlit(const Command& command) {
  std::vector<Access> fresh;
  const auto add = [&](const MTL::Buffer& buffer, NS::UInteger offset, bool writes,
                       const char* name) {
    const std::byte* const begin = Address(buffer, offset);
    return Add({.spans = {{begin, begin + command.bytes}},
                .writes = writes,
                .tracked = Tracked(buffer),
                .encoder = command.encoder,
                .names = std::make_shared<Names>(Names{{begin, writes, name}})},
               fresh);
  };
  std::string conflict;
  if (command.source != nullptr) {
    conflict = add(*command.source, command.source_offset, false, "the source of a copy");
  }
  if (conflict.empty()) {
    conflict = add(*command.target, command.target_offset, true, "the target of a copy");
  }
  Keep(std::move(fresh));
  return conflict;
}

void HazardTracker::Barrier(int encoder) {
  std::erase_if(accesses_,
                [&](const Access& access) { return access.encoder == encoder && access.tracked; });
  for (Access& access : accesses_) {
    if (access.encoder == encoder) access.ordered = true;
  }
}

}  // namespace infer::emulation
