// SPDX-License-Identifier: Apache-2.0
//
// Parts of requests that the tables of hostile ones are made of.
#pragma once

#include <string>
#include <string_view>

#include "ir/base/strings.h"

namespace infer::http {

inline constexpr std::string_view kHost = "Host: localhost\r\n";
// Must never reach the handler as a request of its own.
inline const std::string kSmuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";

inline std::string Get(std::string_view target, std::string_view headers = "") {
  return StrCat("GET ", target, " HTTP/1.1\r\n", kHost, headers, "\r\n");
}

inline std::string Post(std::string_view headers, std::string_view body) {
  return StrCat("POST /echo HTTP/1.1\r\n", kHost, "Content-Type: application/json\r\n", headers,
                "\r\n", body);
}

inline std::string Chunked(std::string_view body) {
  return Post("Transfer-Encoding: chunked\r\n", body);
}

}  // namespace infer::http
