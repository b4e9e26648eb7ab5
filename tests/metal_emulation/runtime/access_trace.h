// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of the bound buffers a dispatch reads and writes. Shaders are compiled with a call
// before each of their accesses (cmake/MetalEmulation.cmake); the calls end here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace infer::emulation {

struct Group;

// Bytes [begin, end).
struct Span {
  const std::byte* begin;
  const std::byte* end;
};
// Sorted, and none touches the next.
using Spans = std::vector<Span>;

// Makes any list of spans such a list.
void Normalize(Spans& spans);
// The first byte that is in both, or nullptr.
const std::byte* FirstCommon(const Spans& a, const Spans& b);

// The memory of a bound buffer, or of several that overlap.
struct Region {
  std::byte* begin;
  size_t bytes;
  bool traced;  // false: bytes given with the command, which nobody else sees
};

struct RegionAccesses {
  Spans reads, writes;
};

// A bit for each byte of a region.
class ByteMap {
 public:
  ByteMap() = default;
  ~ByteMap();
  ByteMap(const ByteMap&) = delete;
  ByteMap& operator=(const ByteMap&) = delete;

  // For offsets below `bytes`. False if the system has no memory. Only while nothing is set.
  bool Reserve(size_t bytes);

  void Set(size_t offset, size_t bytes) {
    for (; bytes > 16; bytes -= 16, offset += 16) SetFew(offset, 16);
    SetFew(offset, bytes);
  }

  // Appends what is set, as addresses from `base`, and sets nothing any more.
  void Take(const std::byte* base, Spans& spans);

 private:
  void SetFew(size_t offset, size_t bytes) {
    const size_t word = offset / 64;
    const size_t bit = offset % 64;
    const uint64_t mask = (uint64_t{1} << bytes) - 1;
    words_[word] |= mask << bit;
    first_ = std::min(first_, word);
    last_ = std::max(last_, word);
    if (bit + bytes <= 64) return;
    words_[word + 1] |= mask >> (64 - bit);
    last_ = std::max(last_, word + 1);
  }

  uint64_t* words_ = nullptr;
  size_t num_words_ = 0;
  size_t first_ = SIZE_MAX, last_ = 0;
};

// What one OS thread sees of a dispatch. Kept from one dispatch to the next for its memory.
class AccessTrace {
 public:
  // False if the system has no memory. `regions` must not overlap.
  bool Start(std::span<const Region> regions, const Group& group);

  // Ends the dispatch with an error if the access is near a buffer, but in none that is bound.
  void Add(uintptr_t address, size_t bytes, bool writes) {
    Range*& last = last_[writes];
    Range* range = last;
    if (address - range->begin >= range->bytes) {
      range = Find(address);
      if (range == nullptr) return CheckUnknown(address, writes);
      last = range;
    }
    if (range->reads == nullptr) return;
    const size_t offset = address - range->begin;
    if (bytes > range->bytes - offset) return CheckUnknown(range->begin + range->bytes, writes);
    (writes ? range->writes : range->reads)->Set(offset, bytes);
  }

  // Adds to `accesses`, which has an element for each region.
  void Finish(std::span<RegionAccesses> accesses);

 private:
  struct Range {
    uintptr_t begin;
    size_t bytes;
    ByteMap* reads;  // nullptr: the runtime's own memory
    ByteMap* writes;
  };
  struct Maps {
    ByteMap reads, writes;
  };

  Range* Find(uintptr_t address);
  static void CheckUnknown(uintptr_t address, bool writes);

  std::vector<Range> ranges_;
  std::array<Range*, 2> last_{};  // of loads and of stores
  std::vector<std::unique_ptr<Maps>> maps_;
  std::vector<Region> regions_;
};

// Of the dispatch that this OS thread works on; nullptr: nothing is recorded.
extern constinit thread_local AccessTrace* current_trace;

}  // namespace infer::emulation
