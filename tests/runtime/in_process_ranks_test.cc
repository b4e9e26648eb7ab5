// SPDX-License-Identifier: Apache-2.0
#include "runtime/in_process_ranks.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

namespace infer {
namespace {

// Runs `body` as each of the ranks and returns what each returned.
std::vector<absl::Status> RunRanks(int ranks,
                                   const std::function<absl::Status(Collective&)>& body) {
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(ranks);
  std::vector<absl::Status> results(ends.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < ends.size(); ++i) {
    threads.emplace_back([&, i] { results[i] = body(*ends[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

TEST(InProcessRanks, ExchangeInTheOrderOfTheRanks) {
  for (int ranks : {1, 2, 5}) {
    const auto results = RunRanks(ranks, [ranks](Collective& transport) {
      for (int round = 0; round < 200; ++round) {
        const int own = 100 * transport.rank() + round;
        std::vector<int> all(static_cast<size_t>(ranks)), parts(all), received(all);
        absl::Status status = transport.AllGather(std::as_bytes(std::span(&own, 1)),
                                                  reinterpret_cast<std::byte*>(all.data()));
        if (!status.ok()) return status;
        for (int i = 0; i < ranks; ++i) {
          if (all[i] != 100 * i + round) return absl::InternalError("gathered something else");
          parts[i] = 1000 * transport.rank() + i;
        }
        status = transport.AllToAll(reinterpret_cast<const std::byte*>(parts.data()),
                                    reinterpret_cast<std::byte*>(received.data()), sizeof(int));
        if (!status.ok()) return status;
        for (int i = 0; i < ranks; ++i) {
          if (received[i] != 1000 * i + transport.rank()) {
            return absl::InternalError("received something else");
          }
        }
        int shared = transport.rank() == 0 ? round : -1;
        status = transport.Broadcast(std::as_writable_bytes(std::span(&shared, 1)));
        if (!status.ok()) return status;
        if (shared != round) return absl::InternalError("was told something else");
      }
      return absl::OkStatus();
    });
    for (const absl::Status& result : results) EXPECT_TRUE(result.ok()) << result;
  }
}

TEST(InProcessRanks, AllFailIfOneAborts) {
  const auto results = RunRanks(3, [](Collective& transport) {
    if (transport.rank() == 1) {
      transport.Abort(absl::DataLossError("the file is gone"));
      return absl::OkStatus();
    }
    int value = 0;
    return transport.Broadcast(std::as_writable_bytes(std::span(&value, 1)));
  });
  EXPECT_EQ(results[0], absl::DataLossError("rank 1: the file is gone"));
  EXPECT_EQ(results[2], results[0]);
}

}  // namespace
}  // namespace infer
