// SPDX-License-Identifier: Apache-2.0
#include "tools/api/worker_pool.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <memory>

#include "backends/parallel/tbb_errors.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

namespace infer {
namespace {

// ThreadSanitizer does not see how oneTBB, which is not built with it, hands work over, and would
// report each task as a race.
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
constexpr bool kSerialOnly = true;
#else
constexpr bool kSerialOnly = false;
#endif

}  // namespace

ParallelFor MakeParallelFor(int threads) {
  if (threads <= 1 || kSerialOnly) return SerialFor;
  // On its own the library uses every CPU that it sees and ignores a control group's quota.
  auto limit = std::make_shared<const tbb::global_control>(
      tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
  return [limit](int64_t count, const std::function<void(int64_t)>& body) {
    WithTbbErrors([&] { tbb::parallel_for(int64_t{0}, count, body); });
  };
}

}  // namespace infer
