// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/counting_locks.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>

namespace {

std::atomic<int64_t> lock_count = 0;

}  // namespace

#if INFER_COUNTS_LOCKS
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t*);
  static const Lock lock = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  lock_count.fetch_add(1, std::memory_order_relaxed);
  return lock(mutex);
}
#endif

namespace infer {

int64_t LockCount() { return lock_count; }

}  // namespace infer
