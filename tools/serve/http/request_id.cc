// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/request_id.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>

#include "absl/strings/str_format.h"

namespace infer::http {

std::string RequestId(std::string_view proposed) {
  const auto is_safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (!proposed.empty() && proposed.size() <= 64 && std::ranges::all_of(proposed, is_safe)) {
    return std::string(proposed);
  }
  // The random part tells runs of the server apart, the count the requests of a run.
  static const uint64_t run = [] {
    std::random_device device;
    return (uint64_t{device()} << 32) | device();
  }();
  static std::atomic<uint64_t> count = 0;
  return absl::StrFormat("req_%016x%08x", run, ++count);
}

}  // namespace infer::http
