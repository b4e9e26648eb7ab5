// SPDX-License-Identifier: Apache-2.0
//
// How a kernel divides its work into units that threads can share, and what each unit touches.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/graph/shape.h"

namespace infer {

// The quantity that units divide. kNone: the work is not divided; one thread runs the node.
enum class PartitionDomain : uint8_t { kNone, kRows, kColumns, kKvHeads, kTiles };
inline constexpr int kNumPartitionDomains = 5;
std::string_view Name(PartitionDomain domain);
std::optional<PartitionDomain> FindPartitionDomain(std::string_view name);

// Unit u covers elements u*granule to (u+1)*granule - 1 of `extent` rows, columns, heads or
// elements. Threads take units in order and in equal shares, so that in two steps with the same
// number of units each thread gets the same ones.
//
// The own part of unit u in an operand: for kColumns, the unit's columns of the operand, which has
// `extent` columns; otherwise the unit's share of `extent` equal parts of the operand's memory, in
// order. Because parts are defined on memory, a view of the operand has the same parts.
struct Partition {
  PartitionDomain domain = PartitionDomain::kNone;
  SymbolicCount extent = {};
  int64_t granule = 1;
  std::vector<int32_t> own_inputs = {};   // inputs of which a unit reads only its own part
  std::vector<int32_t> own_results = {};  // results of which a unit writes only its own part
  bool operator==(const Partition&) const = default;

  bool is_cut() const { return domain != PartitionDomain::kNone; }
  // Returns whether both have the same units for every T, R and S.
  bool HasUnitsOf(const Partition& other) const {
    return domain == other.domain && extent == other.extent && granule == other.granule;
  }
  bool OwnsInput(int32_t input) const;
  bool OwnsResult(int32_t result) const;
};

}  // namespace infer
