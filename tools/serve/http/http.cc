// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/http.h"

namespace infer::http {

std::string_view Request::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace infer::http
