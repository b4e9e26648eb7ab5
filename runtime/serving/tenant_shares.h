// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace infer {

// Decides whose turn it is, by deficit round robin: each tenant in turn may use a quantum of tokens
// more than it has paid for, so that tenants with work get equal shares whatever the sizes of their
// requests.
class TenantShares {
 public:
  static constexpr int64_t kQuantum = 64;    // tokens
  static constexpr int64_t kMaxDebt = 4096;  // of a tenant that had the machine for itself

  // Returns the index of a tenant in `candidates`, those with work; it may hold one several times.
  size_t Next(std::span<const std::string_view> candidates);
  // The tenant used this many tokens.
  void Charge(std::string_view tenant, int64_t tokens);
  // Forgets the tenant: it has no requests any more.
  void Forget(std::string_view tenant);

  size_t size() const { return accounts_.size(); }

 private:
  struct Account {
    int64_t credit = 0;
    uint64_t turn = 0;  // the lowest comes first
  };
  Account& AccountOf(std::string_view tenant);

  std::map<std::string, Account, std::less<>> accounts_;
  uint64_t last_turn_ = 0;
};

}  // namespace infer
