// SPDX-License-Identifier: Apache-2.0
#include "ir/base/json.h"

namespace infer {

Json ParseJson(std::string_view text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

Json ParseJsonOrThrow(std::string_view text) { return Json::parse(text); }

std::string JsonText(const Json& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace infer
