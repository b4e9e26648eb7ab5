// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/hang_limit.h"

namespace infer {

// Waits until a file of `folder` that is written to gets another time than those written before:
// the clock of a file system ticks every few milliseconds.
inline void AwaitNextFileTime(const std::filesystem::path& folder) {
  const std::filesystem::path scratch = folder / "file_time";
  const auto time = [&] {
    std::ofstream(scratch) << 'x';
    return std::filesystem::last_write_time(scratch);
  };
  const auto first = time();
  EXPECT_TRUE(WaitUntil([&] { return time() != first; }));
  std::filesystem::remove(scratch);
}

}  // namespace infer
