// SPDX-License-Identifier: Apache-2.0
#include "runtime/file_stamps.h"

#include <algorithm>
#include <chrono>

#include "ir/base/hash.h"

namespace infer {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
// Two ticks of the slowest kernel clock (100 Hz), by which Linux stamps files.
constexpr int64_t kFineStep = kSecond / 50;
// File systems that keep whole seconds have steps of one or two.
constexpr int64_t kCoarseStep = 3 * kSecond;

}  // namespace

uint64_t HashOf(std::span<const FileStamp> stamps) {
  Hasher hash;
  for (const FileStamp& stamp : stamps) {
    hash.Add(stamp.bytes).Add(stamp.inode);
    hash.Add(static_cast<uint64_t>(stamp.modified_ns));
    hash.Add(static_cast<uint64_t>(stamp.changed_ns));
  }
  return std::max<uint64_t>(hash.Finish(), 1);
}

bool AreSettled(std::span<const FileStamp> stamps, int64_t now_ns) {
  return !stamps.empty() && std::ranges::all_of(stamps, [&](const FileStamp& stamp) {
    const bool whole_seconds = stamp.changed_ns % kSecond == 0;
    return stamp.changed_ns != 0 &&
           stamp.changed_ns < now_ns - (whole_seconds ? kCoarseStep : kFineStep);
  });
}

int64_t FileClockNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace infer
