// SPDX-License-Identifier: Apache-2.0
//
// The only bridge between std::string_view and Abseil's string functions. Debian builds Abseil with
// its own string_view class, Homebrew with an alias of the standard one; code that uses these
// functions compiles with both.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace infer {

inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view ToStd(absl::string_view text) { return {text.data(), text.size()}; }

namespace internal {
template <class T>
decltype(auto) StrCatArg(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return ToAbsl(value);
  } else {
    return (value);
  }
}
}  // namespace internal

// absl::StrCat that also takes std::string_view.
template <class... Args>
std::string StrCat(const Args&... args) {
  return absl::StrCat(internal::StrCatArg(args)...);
}

template <class... Args>
void StrAppend(std::string* out, const Args&... args) {
  absl::StrAppend(out, internal::StrCatArg(args)...);
}

}  // namespace infer
