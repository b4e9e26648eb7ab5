// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace infer {

// A yes, or a no with its reason. Used instead of bool wherever a user may ask why.
class [[nodiscard]] Decision {
 public:
  static Decision Accept() { return Decision(true, {}); }
  static Decision Reject(std::string reason) { return Decision(false, std::move(reason)); }

  bool accepted() const { return accepted_; }
  // Empty if accepted.
  const std::string& reason() const { return reason_; }

 private:
  Decision(bool accepted, std::string reason) : accepted_(accepted), reason_(std::move(reason)) {}

  bool accepted_;
  std::string reason_;
};

}  // namespace infer
