// SPDX-License-Identifier: Apache-2.0
//
// Two commands that touch the same bytes, one of them writing, with nothing that orders them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/metal_emulation/device/state.h"

namespace infer::emulation {

// Follows the commands of a queue. How far a dispatch reaches from the address that it is bound at
// is not known to Metal: the first element is what surely is touched, so two values of one buffer
// are no conflict, and a part of a value bound at an offset of its own is not seen.
class HazardTracker {
 public:
  // The conflict of this command with an earlier one, or empty.
  std::string Add(const Command& command);

  // memoryBarrier in an encoder, or the end of the encoder.
  void Barrier(int encoder);
  // The host has waited, or an event orders what follows.
  void Clear() { accesses_.clear(); }

 private:
  struct Access {
    const std::byte* begin;
    const std::byte* end;
    bool writes;
    bool tracked;  // by Metal, from one encoder to the next
    bool ordered;  // by a barrier, within its encoder
    int encoder;
    std::string who;
  };

  std::string AddAccess(Access access, std::vector<Access>& fresh);

  std::vector<Access> accesses_;
};

}  // namespace infer::emulation
