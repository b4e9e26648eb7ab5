// SPDX-License-Identifier: Apache-2.0
//
// Two commands that touch the same bytes, one of them writing, with nothing that orders them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/metal_emulation/device/state.h"

namespace infer::emulation {

// The memory that a dispatch may touch: its buffers, and the bytes given with it. Buffers that
// overlap (two views of one file) make one region.
std::vector<Region> RegionsOf(const Command& command);

// Follows the commands of a queue, by the bytes that they have really touched.
class HazardTracker {
 public:
  // The conflict of a command that has run with an earlier one, or empty. `accesses` are those of
  // `regions`.
  std::string AddDispatch(const Command& command, const std::vector<Region>& regions,
                          const std::vector<RegionAccesses>& accesses);
  std::string AddBlit(const Command& command);

  // memoryBarrier in an encoder, or the end of the encoder.
  void Barrier(int encoder);
  // The host has waited, or an event orders what follows.
  void Clear() { accesses_.clear(); }

 private:
  // What is bound where. Of two values bound in one buffer, an access belongs to the nearer one
  // before it.
  struct Bound {
    const std::byte* address;
    bool writes;
    std::string name;
  };
  using Names = std::vector<Bound>;

  struct Access {
    Spans spans;
    bool writes;
    bool tracked;          // by Metal, from one encoder to the next
    bool ordered = false;  // by a barrier, within its encoder
    int encoder;
    std::shared_ptr<const Names> names;

    std::string Who(const std::byte* address) const;
  };

  std::string Add(Access access, std::vector<Access>& fresh) const;
  void Keep(std::vector<Access> fresh);

  std::vector<Access> accesses_;
};

}  // namespace infer::emulation
