// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/split.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr std::string_view kIndexKey = "split.no";
constexpr std::string_view kCountKey = "split.count";
constexpr std::string_view kTensorsKey = "split.tensors.count";

std::optional<uint32_t> FiveDigits(std::string_view text) {
  if (text.size() != 5 || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  uint32_t number = 0;
  if (!absl::SimpleAtoi(ToAbsl(text), &number)) return std::nullopt;
  return number;
}

}  // namespace

std::optional<SplitPath> ParseSplitPath(std::string_view path) {
  constexpr std::string_view kEnding = "-00001-of-00001.gguf";
  if (path.size() < kEnding.size()) return std::nullopt;
  const std::string_view ending = path.substr(path.size() - kEnding.size());
  if (ending[0] != '-' || ending.substr(6, 4) != "-of-" || ending.substr(15) != ".gguf") {
    return std::nullopt;
  }
  const std::optional<uint32_t> number = FiveDigits(ending.substr(1, 5));
  const std::optional<uint32_t> count = FiveDigits(ending.substr(10, 5));
  if (!number || !count || *number < 1 || *number > *count) return std::nullopt;
  return SplitPath{std::string(path.substr(0, path.size() - kEnding.size())), *number, *count};
}

std::string SiblingPath(const SplitPath& split, uint32_t number) {
  return absl::StrFormat("%s-%05d-of-%05d.gguf", split.prefix, number, split.count);
}

absl::StatusOr<SplitKeys> ReadSplitKeys(const Metadata& metadata) {
  SplitKeys keys;
  if (!metadata.Has(kCountKey)) {
    if (!metadata.Has(kIndexKey)) return keys;
    return metadata.InvalidValue(kIndexKey, "is present, but split.count is missing");
  }
  if (!metadata.Has(kIndexKey)) {
    return metadata.InvalidValue(kCountKey, "is present, but split.no is missing");
  }
  ASSIGN_OR_RETURN(keys.count, metadata.GetUint16(kCountKey));
  ASSIGN_OR_RETURN(keys.index, metadata.GetUint16(kIndexKey));
  if (metadata.Has(kTensorsKey)) {
    ASSIGN_OR_RETURN(keys.tensors, metadata.GetInt32(kTensorsKey));
    if (*keys.tensors < 0) {
      return metadata.InvalidValue(kTensorsKey,
                                   StrCat("is ", *keys.tensors, ", expected 0 or more"));
    }
  }
  if (keys.count == 0) return metadata.InvalidValue(kCountKey, "is 0, expected 1 or more");
  if (keys.index >= keys.count) {
    return metadata.InvalidValue(
        kIndexKey, StrCat("is ", keys.index, ", expected less than split.count = ", keys.count));
  }
  return keys;
}

absl::Status CheckSplitKeys(const Metadata& metadata, const SplitKeys& keys, uint32_t number,
                            const SplitKeys& first) {
  if (keys.count != first.count) {
    return metadata.InvalidValue(
        kCountKey, StrCat("is ", keys.count, ", expected ", first.count,
                          " as in the other files of the set; do not mix files of two sets"));
  }
  if (keys.index != number - 1) {
    return metadata.InvalidValue(kIndexKey,
                                 StrCat("is ", keys.index, ", expected ", number - 1,
                                        " as the file's name says; was the file renamed?"));
  }
  if (keys.tensors && first.tensors && *keys.tensors != *first.tensors) {
    return metadata.InvalidValue(kTensorsKey,
                                 StrCat("is ", *keys.tensors, ", expected ", *first.tensors,
                                        " as in the first file; do not mix files of two sets"));
  }
  return absl::OkStatus();
}

}  // namespace infer
