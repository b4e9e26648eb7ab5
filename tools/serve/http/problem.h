// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace infer::http {

// Why a request is refused before it reaches the handler.
struct Problem {
  int status = 400;
  std::string message = {};
};

}  // namespace infer::http
