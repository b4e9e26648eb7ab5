// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ir/graph/partition.h"
#include "ir/graph/shape.h"

namespace infer {

// What the units of a sliced step do to the memory of one value.
struct Access {
  const Partition* partition = nullptr;  // of the step's kernel; outlives the access
  bool own = false;                      // a unit touches only its own part
  bool writes = false;
  SymbolicCount bytes = {};  // size of the value: values of different sizes have different parts
};

// Records the memory accesses since the last barrier, which threads may have done or may still do.
class UnmetAccesses {
 public:
  // Identifies a piece of memory; the caller chooses the numbering.
  using Memory = std::pair<const void*, int64_t>;

  void Meet() { entries_.clear(); }
  // Returns whether one thread may write what another reads or writes with no barrier between them.
  bool Clashes(Memory memory, const Access& access) const;
  void Add(Memory memory, const Access& access);

 private:
  // All accesses of one kind. If they differ (`mixed`), no other access is compatible with all of
  // them.
  struct Kind {
    Access access;
    bool exists = false;
    bool mixed = false;
  };
  struct Entry {
    Kind reads;
    Kind writes;
  };
  static bool Compatible(const Access& a, const Access& b);
  static bool ClashesWith(const Kind& kind, const Access& access);

  absl::flat_hash_map<Memory, Entry> entries_;
};

}  // namespace infer
