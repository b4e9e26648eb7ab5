// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cache_size.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "absl/status/statusor.h"
#include "ir/base/strings.h"
#include "tools/cli/flag_text.h"

namespace infer {
namespace {

constexpr uint64_t kUnknown = uint64_t{32} << 20;
constexpr int kMostIndices = 8;

}  // namespace

uint64_t LastLevelCacheBytes() {
  uint64_t largest = 0;
  for (int index = 0; index < kMostIndices; ++index) {
    std::ifstream file(StrCat("/sys/devices/system/cpu/cpu0/cache/index", index, "/size"));
    std::string text;  // "32768K"
    if (!(file >> text)) continue;
    absl::StatusOr<uint64_t> bytes = ParseSize(text);
    if (bytes.ok()) largest = std::max(largest, *bytes);
  }
  return largest == 0 ? kUnknown : largest;
}

}  // namespace infer
