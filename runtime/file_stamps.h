// SPDX-License-Identifier: Apache-2.0
//
// Decides whether files are still what they were, by their stamps.
#pragma once

#include <cstdint>
#include <span>

#include "ir/program/file_stamp.h"

namespace infer {

// Returns a hash of the stamps; never 0.
uint64_t HashOf(std::span<const FileStamp> stamps);

// Returns whether a write after `now_ns` is certain to change the stamps: times are recorded in
// steps, so that a write soon after another may leave the same ones. False without files.
bool AreSettled(std::span<const FileStamp> stamps, int64_t now_ns);

// Returns the time of the clock that stamps files.
int64_t FileClockNow();

}  // namespace infer
