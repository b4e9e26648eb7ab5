// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/chat/heap.h"
#include "frontends/chat/value.h"

namespace infer {

// What a rendering gives to filters, tests, methods and functions.
struct TemplateClock {
  bool fixed = false;
  int64_t seconds = 0;  // since 1970, if fixed; shown in UTC
};

namespace chat {

struct Environment {
  Heap* heap = nullptr;
  TemplateClock clock;
};

// The arguments of a call by parameter, whether they were given by position or by name.
class BoundArguments {
 public:
  static constexpr size_t kMost = 6;

  // Fails if there are more arguments than parameters or a name is unknown. `who` is the function
  // in an error.
  static absl::StatusOr<BoundArguments> Bind(std::string_view who, const Arguments& arguments,
                                             std::initializer_list<std::string_view> parameters);

  // Returns the argument of a parameter, or null if it was not given.
  const Value* operator[](size_t parameter) const { return values_[parameter]; }
  Value ValueOr(size_t parameter, const Value& otherwise) const {
    return values_[parameter] ? *values_[parameter] : otherwise;
  }
  bool IsTrue(size_t parameter, bool otherwise) const;

  // The following fail if an argument has another type.
  absl::StatusOr<int64_t> Integer(size_t parameter, int64_t otherwise) const;
  absl::StatusOr<const MarkedText*> Text(size_t parameter, const MarkedText* otherwise) const;

 private:
  std::string_view who_;
  std::array<std::string_view, kMost> names_;
  std::array<const Value*, kMost> values_ = {};
};

}  // namespace chat
}  // namespace infer
