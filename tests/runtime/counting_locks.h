// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace infer {

// Calls of pthread_mutex_lock in this process so far. Linking counting_locks.cc puts a counting
// function before the library's.
int64_t LockCount();

}  // namespace infer
