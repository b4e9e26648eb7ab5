// SPDX-License-Identifier: Apache-2.0
//
// How a kernel cuts its work into units that threads can share, and what a unit touches.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/graph/shape.h"

namespace infer {

// What is counted. kNone: the work is not cut, one thread runs the node.
enum class PartitionDomain : uint8_t { kNone, kRows, kColumns, kKvHeads, kTiles };
inline constexpr int kNumPartitionDomains = 5;
std::string_view Name(PartitionDomain domain);
std::optional<PartitionDomain> FindPartitionDomain(std::string_view name);

// Unit u is number u*granule to (u+1)*granule - 1 of `extent` rows, columns, heads or elements.
// Threads take units in order and in equal shares, so that of two steps with as many units each
// thread has the same ones.
//
// The own part of unit u in an operand: for kColumns these columns of the operand, which has
// `extent` of them; else these of `extent` equal parts of its memory, in order. Seen as memory it
// is the same part in a view of the operand.
struct Partition {
  PartitionDomain domain = PartitionDomain::kNone;
  SymbolicCount extent = {};
  int64_t granule = 1;
  std::vector<int32_t> own_inputs = {};   // of these a unit reads its own part only
  std::vector<int32_t> own_results = {};  // of these a unit writes its own part only
  bool operator==(const Partition&) const = default;

  bool is_cut() const { return domain != PartitionDomain::kNone; }
  // Whether the units of both are the same, for every T, R and S.
  bool HasUnitsOf(const Partition& other) const {
    return domain == other.domain && extent == other.extent && granule == other.granule;
  }
  bool OwnsInput(int32_t input) const;
  bool OwnsResult(int32_t result) const;
};

}  // namespace infer
