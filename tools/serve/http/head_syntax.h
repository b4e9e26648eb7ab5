// SPDX-License-Identifier: Apache-2.0
//
// The syntax of a request's head, checked on its raw bytes and stricter than the parser behind it:
// what two programs could read in two ways (bare line feeds, folded lines, spaces before a colon)
// is refused, so that a proxy in front never sees other requests than we do.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "tools/serve/http/problem.h"

namespace infer::http {

inline constexpr size_t kMaxHeaderFields = 100;

// Looks for the empty line that ends a head, byte by byte as they arrive.
class HeadScanner {
 public:
  enum class Result { kMore, kEnd, kBad };

  // Goes on in `bytes`, which begin with those of the call before.
  Result Scan(std::string_view bytes);
  // After kEnd: the number of bytes up to and including the empty line.
  size_t head_bytes() const { return scanned_; }
  // After kBad.
  const Problem& problem() const { return problem_; }

 private:
  Result Refuse(std::string_view message);

  size_t scanned_ = 0;
  Problem problem_ = {};
};

// Checks the lines of a complete head. Returns nothing if they are correct.
std::optional<Problem> CheckHead(std::string_view head);

// Whether all of `text` are characters that RFC 9110 allows in a token; false if it is empty.
bool IsToken(std::string_view text);

}  // namespace infer::http
