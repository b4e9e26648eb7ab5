// SPDX-License-Identifier: Apache-2.0
#include "tools/api/turn.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace infer {
namespace {

TEST(Turn, IsHandedOnInOrder) {
  Turn turn;
  std::vector<int> order;
  turn.lock();
  std::thread other([&] {
    std::lock_guard<Turn> hold(turn);
    order.push_back(2);
  });
  order.push_back(1);
  while (order.size() < 2) YieldTurn yield(&turn);  // the other thread gets it at some point
  order.push_back(3);
  turn.unlock();
  other.join();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(Turn, ExcludesOthers) {
  Turn turn;
  int inside = 0, total = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 200; ++n) {
        std::lock_guard<Turn> hold(turn);
        EXPECT_EQ(++inside, 1);
        ++total;
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(total, 800);
}

}  // namespace
}  // namespace infer
