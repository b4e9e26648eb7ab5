// SPDX-License-Identifier: Apache-2.0
//
// Tells how values get from one device to another: copied between memories, or left in place
// because both devices work in one memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/report/program_view.h"

namespace infer {

// Everything that goes from one device to another in a call.
struct Crossing {
  Device from = Device::kCpu;
  Device to = Device::kCpu;
  int64_t boundaries = 0;  // places where a segment of `to` follows one of `from`
  int64_t copies = 0;
  double copied_bytes_min = 0;  // at the lower ends of the regime
  double copied_bytes_max = 0;
  int64_t shared = 0;  // values read without a copy
  double shared_bytes_min = 0;
  double shared_bytes_max = 0;
};

// Returns the crossings by device; none if everything runs on one.
std::vector<Crossing> CrossingsOf(const RegimeView& regime);

// Returns "cpu → metal 28 times: 12.0 KiB..6.00 MiB in shared memory, nothing copied".
std::string CrossingText(const Crossing& crossing);

// What happens to a value between two nodes.
enum class EdgeKind : uint8_t { kSameDevice, kCopied, kShared };

class EdgeKinds {
 public:
  explicit EdgeKinds(const RegimeView& regime);
  // Both nodes must run.
  EdgeKind Of(const Node& from, const Node& to) const;

 private:
  std::map<const Node*, Device> spaces_;  // whose memory a node works in
};

}  // namespace infer
