// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "ir/program/weight_source.h"
#include "runtime/pack_jobs.h"
#include "runtime/piecewise.h"

namespace infer {

struct PackWeightsOptions {
  // Weights whose pages stay mapped; those of the others are released once they are packed.
  const std::set<std::string>& keep;
  bool hash = false;  // compute the result, while the bytes are in the CPU's cache
};

// Packs the jobs into `memory`, each at its offset. Returns a hash of all bytes that were packed,
// which does not depend on the order of the jobs, or 0 if none is wanted.
absl::StatusOr<uint64_t> PackWeights(std::span<const PackJob> jobs, const WeightSource& source,
                                     const PackWeightsOptions& options, const PieceWork& work,
                                     std::span<std::byte> memory);

}  // namespace infer
