// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace infer {

// Computes the xxh3-128 of the bytes added so far. Distinguishes two models; not secure against
// forgery.
class HeaderHash {
 public:
  HeaderHash();
  ~HeaderHash();

  void Add(std::span<const std::byte> bytes);
  std::string Hex() const;  // 32 digits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace infer
