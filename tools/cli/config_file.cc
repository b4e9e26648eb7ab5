// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/config_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/input.h"

namespace infer {
namespace {

constexpr uint64_t kMaxConfigBytes = 1 << 20;  // a few dozen flags, but no model

absl::StatusOr<std::string> ScalarText(const Json& value, std::string_view place) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return JsonText(value);
  return absl::InvalidArgumentError(
      StrCat(place, " is ", value.type_name(), ", expected a string, number or boolean"));
}

}  // namespace

absl::StatusOr<ConfigValues> ReadConfigFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, ReadInput(path, kMaxConfigBytes));
  return ParseConfig(text, path);
}

absl::StatusOr<ConfigValues> ParseConfig(std::string_view text, std::string_view path) {
  Json json;
  try {
    json = ParseJsonOrThrow(text);
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(
        StrCat(path, ": not valid JSON: ", JsonErrorText(error.what())));
  }
  if (!json.is_object()) {
    return absl::InvalidArgumentError(StrCat(path, ": holds ", json.type_name(),
                                             ", expected an object of flag names and values"));
  }
  ConfigValues values;
  for (const auto& [key, value] : json.items()) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    std::string place = StrCat(path, ": key '", key, "'");
    std::vector<std::string>& texts = values[name];
    texts.clear();
    if (!value.is_array()) {
      ASSIGN_OR_RETURN(std::string scalar, ScalarText(value, place));
      texts.push_back(std::move(scalar));
      continue;
    }
    for (const Json& element : value) {
      ASSIGN_OR_RETURN(std::string scalar, ScalarText(element, place));
      texts.push_back(std::move(scalar));
    }
  }
  return values;
}

}  // namespace infer
