// SPDX-License-Identifier: Apache-2.0
#include "tools/api/worker_pool.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <memory>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

namespace infer {
namespace {

// ThreadSanitizer does not see how the library, which is not built with it, hands work over, and
// would call each piece of work a race.
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
constexpr bool kSerialOnly = true;
#else
constexpr bool kSerialOnly = false;
#endif

}  // namespace

ParallelFor MakeParallelFor(int threads) {
  if (threads <= 1 || kSerialOnly) return SerialFor;
  // By itself the library takes every CPU that it sees and knows nothing of a control group's
  // quota.
  auto limit = std::make_shared<const tbb::global_control>(
      tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
  return [limit](int64_t count, const std::function<void(int64_t)>& body) {
    tbb::parallel_for(int64_t{0}, count, body);
  };
}

}  // namespace infer
