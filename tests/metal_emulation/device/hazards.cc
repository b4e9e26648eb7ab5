// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/device/hazards.h"

#include "ir/strings.h"

namespace infer::emulation {
namespace {

bool Tracked(const MTL::Buffer& buffer) {
  return !(buffer.state->options & MTL::ResourceHazardTrackingModeUntracked);
}

const std::byte* Address(const MTL::Buffer& buffer, NS::UInteger offset) {
  return static_cast<const std::byte*>(buffer.state->contents) + offset;
}

}  // namespace

std::string HazardTracker::AddAccess(Access access, std::vector<Access>& fresh) {
  for (const Access& earlier : accesses_) {
    if (!earlier.writes && !access.writes) continue;
    if (earlier.end <= access.begin || access.end <= earlier.begin) continue;
    if (earlier.encoder == access.encoder) {
      if (earlier.ordered) continue;
      return StrCat("conflict: ", earlier.who, " and ", access.who,
                    " touch the same bytes with no memoryBarrier between them");
    }
    if (earlier.tracked && access.tracked) continue;
    return StrCat("conflict: ", earlier.who, " and ", access.who,
                  " touch the same bytes of an untracked buffer in two encoders with nothing "
                  "that orders them");
  }
  fresh.push_back(std::move(access));
  return "";
}

std::string HazardTracker::Add(const Command& command) {
  std::vector<Access> fresh;
  std::string conflict;
  const auto add = [&](const MTL::Buffer& buffer, NS::UInteger offset, size_t bytes, bool writes,
                       std::string who) {
    if (!conflict.empty()) return;
    const std::byte* const begin = Address(buffer, offset);
    conflict = AddAccess(
        {begin, begin + bytes, writes, Tracked(buffer), false, command.encoder, std::move(who)},
        fresh);
  };
  if (command.kind == Command::kDispatch) {
    const Kernel& kernel = *command.pipeline->state->kernel;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      const Parameter& parameter = kernel.parameters[i];
      if (parameter.kind != ParameterKind::kBuffer) continue;
      const Binding& binding = command.bindings[static_cast<size_t>(parameter.index)];
      if (binding.buffer == nullptr) continue;
      add(*binding.buffer, binding.offset, kernel.types[i].element, kernel.types[i].writes,
          StrCat("'", parameter.name, "' of kernel '", kernel.name, "'"));
    }
  } else {
    if (command.source != nullptr) {
      add(*command.source, command.source_offset, command.bytes, false, "the source of a copy");
    }
    add(*command.target, command.target_offset, command.bytes, true, "the target of a copy");
  }
  for (Access& access : fresh) accesses_.push_back(std::move(access));
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
