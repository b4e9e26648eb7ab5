// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/tenant_shares.h"

#include <algorithm>
#include <limits>

namespace infer {

TenantShares::Account& TenantShares::AccountOf(std::string_view tenant) {
  const auto found = accounts_.find(tenant);
  if (found != accounts_.end()) return found->second;
  return accounts_.emplace(std::string(tenant), Account{.turn = ++last_turn_}).first->second;
}

size_t TenantShares::Next(std::span<const std::string_view> candidates) {
  // Rounds until the first candidate has credit again; all of them get their quanta.
  int64_t rounds = std::numeric_limits<int64_t>::max();
  for (const std::string_view tenant : candidates) {
    const int64_t credit = AccountOf(tenant).credit;
    rounds = std::min(rounds, credit > 0 ? 0 : -credit / kQuantum + 1);
  }
  if (rounds > 0) {
    for (auto& [tenant, account] : accounts_) {
      if (std::ranges::find(candidates, tenant) == candidates.end()) continue;
      account.credit = std::min(account.credit + rounds * kQuantum, kQuantum);
    }
  }
  size_t next = 0;
  uint64_t turn = std::numeric_limits<uint64_t>::max();
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Account& account = AccountOf(candidates[i]);
    if (account.credit <= 0 || account.turn >= turn) continue;
    next = i;
    turn = account.turn;
  }
  return next;
}

void TenantShares::Charge(std::string_view tenant, int64_t tokens) {
  Account& account = AccountOf(tenant);
  const bool had_credit = account.credit > 0;
  account.credit = std::max(account.credit - tokens, -kMaxDebt);
  if (had_credit && account.credit <= 0) account.turn = ++last_turn_;
}

void TenantShares::Forget(std::string_view tenant) {
  const auto found = accounts_.find(tenant);
  if (found != accounts_.end()) accounts_.erase(found);
}

}  // namespace infer
