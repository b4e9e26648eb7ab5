// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// A sanitizer has its own pthread_mutex_lock, which must stay in front: nothing is counted then.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define INFER_COUNTS_LOCKS 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define INFER_COUNTS_LOCKS 0
#endif
#endif
#ifndef INFER_COUNTS_LOCKS
#define INFER_COUNTS_LOCKS 1
#endif

namespace infer {

// Calls of pthread_mutex_lock in this process so far. Linking counting_locks.cc puts a counting
// function before the library's.
int64_t LockCount();

}  // namespace infer
