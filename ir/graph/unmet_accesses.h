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
  bool own = false;                      // a unit touches its own part only
  bool writes = false;
  SymbolicCount bytes = {};  // of the value: parts of values of another size are other parts
};

// What threads that have not met since then have done, or may still do, to memory.
class UnmetAccesses {
 public:
  // A piece of memory, however the caller numbers them.
  using Memory = std::pair<const void*, int64_t>;

  void Meet() { entries_.clear(); }
  // Whether one thread may write what another one, which has not met it, reads or writes.
  bool Clashes(Memory memory, const Access& access) const;
  void Add(Memory memory, const Access& access);

 private:
  // All accesses of one kind. Of several that differ no other access is compatible with all.
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
