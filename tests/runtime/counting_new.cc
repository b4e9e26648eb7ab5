// SPDX-License-Identifier: Apache-2.0
//
// Apart from the code that allocates: where g++ can inline both, it takes malloc and delete, or new
// and free, for a mismatched pair.
#include "tests/runtime/counting_new.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<int64_t> allocations = 0;
}

void* operator new(std::size_t bytes) {
  ++allocations;
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace infer {

int64_t AllocationCount() { return allocations; }

}  // namespace infer
