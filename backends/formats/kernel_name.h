// SPDX-License-Identifier: Apache-2.0
//
// Builds the names of kernels for a weight type at compile time: "linear_q8_0_scalar".
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "ir/graph/dtype.h"

namespace infer {

// A string as a template argument.
template <size_t kSize>
struct NamePart {
  char text[kSize];
  constexpr NamePart(const char (&from)[kSize]) { std::ranges::copy(from, text); }  // NOLINT
  constexpr std::string_view view() const { return {text, kSize - 1}; }
};

namespace internal {
template <NamePart kOp, DType kType, NamePart kTarget>
struct KernelNameText {
  static constexpr size_t kLength =
      kOp.view().size() + Name(kType).size() + kTarget.view().size() + 2;
  static constexpr std::array<char, kLength> kText = [] {
    std::array<char, kLength> text = {};
    auto at = std::ranges::copy(kOp.view(), text.begin()).out;
    *at++ = '_';
    at = std::ranges::copy(Name(kType), at).out;
    *at++ = '_';
    std::ranges::copy(kTarget.view(), at);
    return text;
  }();
};
}  // namespace internal

// KernelName<"linear", DType::kQ8_0, "scalar"> is "linear_q8_0_scalar".
template <NamePart kOp, DType kType, NamePart kTarget>
inline constexpr std::string_view KernelName = {
    internal::KernelNameText<kOp, kType, kTarget>::kText.data(),
    internal::KernelNameText<kOp, kType, kTarget>::kLength};

// TypedName<"matvec", DType::kQ8_0> is "matvec_q8_0".
template <NamePart kStem, DType kType>
inline constexpr std::string_view TypedName =
    KernelName<kStem, kType, "">.substr(0, kStem.view().size() + 1 + Name(kType).size());

}  // namespace infer
