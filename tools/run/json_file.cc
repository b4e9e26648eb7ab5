// SPDX-License-Identifier: Apache-2.0
#include "tools/run/json_file.h"

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/input.h"

namespace infer {
namespace {

// nlohmann's tree is destroyed recursively; a file with a million brackets must not be parsed.
constexpr int kMaxDepth = 64;

}  // namespace

absl::StatusOr<Json> ReadJsonFile(const std::string& path, uint64_t max_bytes,
                                  const std::atomic<bool>* stop) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadInput(path, max_bytes, {}, stop));
  bool too_deep = false;
  auto watch = [&](int depth, Json::parse_event_t, Json&) {
    too_deep |= depth > kMaxDepth;
    return !too_deep;
  };
  try {
    Json json = Json::parse(bytes, watch);
    if (!too_deep) return json;
    return absl::InvalidArgumentError(StrCat(path, ": is nested deeper than ", kMaxDepth));
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(StrCat(path, ": is not JSON: ", JsonErrorText(error.what())));
  }
}

}  // namespace infer
