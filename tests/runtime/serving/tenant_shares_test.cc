// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/tenant_shares.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace infer {
namespace {

// Lets tenants with endless work take their turns, each with requests of its own size.
std::map<std::string_view, int64_t> Serve(TenantShares& shares,
                                          const std::map<std::string_view, int64_t>& sizes,
                                          int turns) {
  std::vector<std::string_view> tenants;
  for (const auto& [tenant, size] : sizes) tenants.push_back(tenant);
  std::map<std::string_view, int64_t> served;
  for (int i = 0; i < turns; ++i) {
    const std::string_view tenant = tenants[shares.Next(tenants)];
    shares.Charge(tenant, sizes.at(tenant));
    served[tenant] += sizes.at(tenant);
  }
  return served;
}

TEST(TenantShares, AreEqualWhateverTheSizesOfRequests) {
  TenantShares shares;
  const auto served = Serve(shares, {{"a", 16}, {"b", 300}, {"c", 1000}}, 3000);
  const int64_t mean = (served.at("a") + served.at("b") + served.at("c")) / 3;
  for (const auto& [tenant, tokens] : served) {
    EXPECT_NEAR(static_cast<double>(tokens), static_cast<double>(mean), 1300) << tenant;
  }
  EXPECT_GT(mean, 10'000);
}

TEST(TenantShares, ATenantWithManyRequestsGetsNoMore) {
  TenantShares shares;
  const std::vector<std::string_view> tenants = {"many", "many", "many", "one", "many"};
  std::map<std::string_view, int> turns;
  for (int i = 0; i < 1000; ++i) {
    const std::string_view tenant = tenants[shares.Next(tenants)];
    shares.Charge(tenant, 64);
    ++turns[tenant];
  }
  EXPECT_NEAR(turns["one"], 500, 10);
}

TEST(TenantShares, TheMachineAloneIsNoDebtForever) {
  TenantShares shares;
  Serve(shares, {{"old", 1000}}, 1000);
  const auto served = Serve(shares, {{"new", 16}, {"old", 16}}, 2000);
  EXPECT_GT(served.at("old"), 8000);
}

TEST(TenantShares, ForgetsTenants) {
  TenantShares shares;
  Serve(shares, {{"a", 16}, {"b", 16}}, 10);
  EXPECT_EQ(shares.size(), 2u);
  shares.Forget("a");
  shares.Forget("unknown");
  EXPECT_EQ(shares.size(), 1u);
}

}  // namespace
}  // namespace infer
