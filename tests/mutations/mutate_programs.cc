// SPDX-License-Identifier: Apache-2.0
//
// mutate_programs [COUNT [FIRST_SEED]]: the campaign at full length, 10,000 by default. Progress
// goes to stderr: a seed that ends the process is among the 100 after the last one printed.
#include <cstdlib>
#include <iostream>

#include "tests/mutations/campaign.h"

int main(int argc, char** argv) {
  const int64_t count = argc > 1 ? std::atoll(argv[1]) : 10000;
  const uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const infer::test::CampaignResult result = infer::test::RunCampaign(
      first, count, [&](uint64_t seed, const infer::test::CampaignResult& so_far) {
        if ((seed - first) % 100 != 0) return;
        std::cerr << "seed " << seed << " of " << first << ".." << first + count - 1 << ": "
                  << so_far.refused << " refused, " << so_far.accepted << " run\n"
                  << so_far.failures;
      });
  std::cout << result.refused << " refused, " << result.accepted << " accepted and run\n";
  for (const auto& [field, accepted] : result.accepted_by_field) {
    std::cout << "  " << accepted << " " << field << "\n";
  }
  std::cout << result.failures;
  return result.failures.empty() ? 0 : 1;
}
