// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/runtime/access_trace.h"

#include <sys/mman.h>

#include <bit>

#include "absl/strings/str_format.h"
#include "tests/metal_emulation/runtime/group.h"

// First and last byte of the program or the library that this is linked into, from the linker.
// Hidden, so that a library does not get those of the program.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start, _end;

namespace infer::emulation {

namespace {

// An access that is farther from every bound buffer is taken for one of the runtime's own. A row of
// 16384 floats, so that an index that is one row off is still seen.
constexpr uintptr_t kNear = 64 * 1024;

bool Near(uintptr_t address, uintptr_t begin, size_t bytes) {
  return address - (begin - kNear) < bytes + 2 * kNear;
}

uintptr_t AddressOf(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

// Function constants, tables, and the variables of this OS thread.
bool IsVariable(uintptr_t address) {
  return (address >= AddressOf(&__ehdr_start) && address < AddressOf(&_end)) ||
         Near(address, AddressOf(&current_trace), 0);
}

}  // namespace

void Normalize(Spans& spans) {
  std::ranges::sort(spans, {}, &Span::begin);
  size_t kept = 0;
  for (const Span& span : spans) {
    if (kept > 0 && span.begin <= spans[kept - 1].end) {
      spans[kept - 1].end = std::max(spans[kept - 1].end, span.end);
    } else {
      spans[kept++] = span;
    }
  }
  spans.resize(kept);
}

const std::byte* FirstCommon(const Spans& a, const Spans& b) {
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() && right != b.end()) {
    if (left->end <= right->begin) {
      ++left;
    } else if (right->end <= left->begin) {
      ++right;
    } else {
      return std::max(left->begin, right->begin);
    }
  }
  return nullptr;
}

ByteMap::~ByteMap() {
  if (words_ != nullptr) munmap(words_, num_words_ * sizeof *words_);
}

bool ByteMap::Reserve(size_t bytes) {
  const size_t needed = bytes / 64 + 2;
  if (needed <= num_words_) return true;
  if (words_ != nullptr) munmap(words_, num_words_ * sizeof *words_);
  words_ = nullptr;
  num_words_ = 0;
  // Pages that nothing is set in take no memory: a map of all weights costs what a kernel reads.
  void* const memory = mmap(nullptr, needed * sizeof *words_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  words_ = static_cast<uint64_t*>(memory);
  num_words_ = needed;
  return true;
}

void ByteMap::Take(const std::byte* base, Spans& spans) {
  if (first_ == SIZE_MAX) return;
  const size_t before = spans.size();
  for (size_t i = first_; i <= last_; ++i) {
    uint64_t word = words_[i];
    words_[i] = 0;
    for (size_t bit = 0; word != 0;) {
      const auto zeros = static_cast<size_t>(std::countr_zero(word));
      word >>= zeros;
      const auto ones = static_cast<size_t>(std::countr_one(word));
      word = ones == 64 ? 0 : word >> ones;
      bit += zeros;
      const std::byte* const begin = base + i * 64 + bit;
      bit += ones;
      if (spans.size() > before && spans.back().end == begin) {
        spans.back().end = begin + ones;
      } else {
        spans.push_back({begin, begin + ones});
      }
    }
  }
  first_ = SIZE_MAX;
  last_ = 0;
}

bool AccessTrace::Start(std::span<const Region> regions, const Group& group) {
  regions_.assign(regions.begin(), regions.end());
  while (maps_.size() < regions_.size()) maps_.push_back(std::make_unique<Maps>());
  ranges_.clear();
  const auto own = [&](const void* begin, size_t bytes) {
    ranges_.push_back({AddressOf(begin), bytes, nullptr, nullptr});
  };
  own(group.stacks.begin(), group.stacks.bytes());
  own(group.memory.begin(), group.memory.capacity());
  for (size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    Range range{AddressOf(region.begin), region.bytes, nullptr, nullptr};
    if (region.traced) {
      if (!maps_[i]->reads.Reserve(region.bytes) || !maps_[i]->writes.Reserve(region.bytes)) {
        return false;
      }
      range.reads = &maps_[i]->reads;
      range.writes = &maps_[i]->writes;
    }
    ranges_.push_back(range);
  }
  own(group.threads.data(), group.threads.size() * sizeof(Thread));
  own(group.simdgroups.data(), group.simdgroups.size() * sizeof(Simdgroup));
  last_.fill(ranges_.data());
  return true;
}

AccessTrace::Range* AccessTrace::Find(uintptr_t address) {
  for (Range& range : ranges_) {
    if (address - range.begin < range.bytes) return &range;
  }
  return nullptr;
}

void AccessTrace::CheckUnknown(uintptr_t address, bool writes) {
  if (current_group == nullptr || current_group->failed || IsVariable(address)) return;
  for (const Region& region : current_trace->regions_) {
    const uintptr_t begin = AddressOf(region.begin);
    if (!region.traced || !Near(address, begin, region.bytes)) continue;
    const bool before = address < begin;
    std::string text = absl::StrFormat("out-of-bounds access: %s %d bytes %s a buffer of %d bytes",
                                       writes ? "store" : "load",
                                       before ? begin - address : address - begin - region.bytes,
                                       before ? "before" : "beyond the end of", region.bytes);
    // Which line made the access is not known.
    Fail({current_group->file->path, current_group->kernel->line}, std::move(text));
  }
}

void AccessTrace::Finish(std::span<RegionAccesses> accesses) {
  for (size_t i = 0; i < regions_.size(); ++i) {
    if (!regions_[i].traced) continue;
    maps_[i]->reads.Take(regions_[i].begin, accesses[i].reads);
    maps_[i]->writes.Take(regions_[i].begin, accesses[i].writes);
  }
}

}  // namespace infer::emulation
