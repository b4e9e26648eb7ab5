// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace infer::http {

// Why a request is refused before it reaches the handler.
struct Problem {
  int status = 400;
  std::string message = {};
};

inline Problem Bad(std::string message) { return {.status = 400, .message = std::move(message)}; }

}  // namespace infer::http
