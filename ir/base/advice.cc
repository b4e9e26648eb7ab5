// SPDX-License-Identifier: Apache-2.0
#include "ir/base/advice.h"

#include "absl/strings/cord.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr char kPayload[] = "infer/advice";  // one character per piece of advice
constexpr char kFirst = 'A';

}  // namespace

absl::Status WithAdvice(absl::Status status, std::initializer_list<Advice> advice) {
  std::string text;
  if (auto payload = status.GetPayload(kPayload)) text = std::string(*payload);
  for (Advice each : advice) text += static_cast<char>(kFirst + static_cast<int>(each));
  // Through string_view: clang 18 and later mangle Cord's std::string&& constructor differently
  // from the compiler of Debian's Abseil, and would not link.
  status.SetPayload(kPayload, absl::Cord(ToAbsl(text)));
  return status;
}

std::vector<Advice> AdviceOf(const absl::Status& status) {
  std::vector<Advice> advice;
  auto payload = status.GetPayload(kPayload);
  if (!payload) return advice;
  for (char c : std::string(*payload)) advice.push_back(static_cast<Advice>(c - kFirst));
  return advice;
}

absl::Status WithMessage(const absl::Status& status, std::string_view message) {
  absl::Status other(status.code(), ToAbsl(message));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { other.SetPayload(url, payload); });
  return other;
}

}  // namespace infer
