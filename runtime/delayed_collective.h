// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/collective.h"

namespace infer {

// A slower network than the one that is there.
struct NetworkDelay {
  double delay_us = 0;  // of each exchange, in addition
  double gbit_s = 0;    // at which each rank receives; 0: as fast as it does
};

// Reads "100us,1gbit", "0.1ms" or "10gbit".
absl::StatusOr<NetworkDelay> ParseNetworkDelay(std::string_view text);

// Returns a transport whose exchanges take as long as on such a network in addition. For measuring
// what a network would cost.
std::shared_ptr<Collective> MakeDelayed(std::shared_ptr<Collective> transport,
                                        const NetworkDelay& network);

}  // namespace infer
