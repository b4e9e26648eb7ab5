// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/unmet_accesses.h"

namespace infer {

// Compatible if unit u of both touches the same bytes and the same thread runs unit u of both.
bool UnmetAccesses::Compatible(const Access& a, const Access& b) {
  return a.own && b.own && a.bytes == b.bytes && a.partition->HasUnitsOf(*b.partition);
}

bool UnmetAccesses::ClashesWith(const Kind& kind, const Access& access) {
  return kind.exists && (kind.mixed || !Compatible(kind.access, access));
}

bool UnmetAccesses::Clashes(Memory memory, const Access& access) const {
  auto entry = entries_.find(memory);
  if (entry == entries_.end()) return false;
  return ClashesWith(entry->second.writes, access) ||
         (access.writes && ClashesWith(entry->second.reads, access));
}

void UnmetAccesses::Add(Memory memory, const Access& access) {
  Entry& entry = entries_[memory];
  Kind& kind = access.writes ? entry.writes : entry.reads;
  kind.mixed |= ClashesWith(kind, access);
  kind.access = access;
  kind.exists = true;
}

}  // namespace infer
