// SPDX-License-Identifier: Apache-2.0
//
// Sorts each rank by the mean position of its neighbours, alternately downwards and upwards, and
// keeps the order with the fewest crossings.
#include "tools/viz/rank_order.h"

#include <algorithm>
#include <utility>

namespace infer {
namespace {

constexpr int kSweeps = 12;  // half downwards, half upwards

class Orderer {
 public:
  Orderer(Ranks ranks, std::span<const Neighbours> near)
      : near_(near), ranks_(std::move(ranks)), place_(near.size()) {
    for (const std::vector<int32_t>& rank : ranks_) Number(rank);
  }

  Ranks Run() {
    Ranks best = ranks_;
    int64_t fewest = Crossings();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      Sort(sweep % 2 == 0);
      int64_t crossings = Crossings();
      if (crossings >= fewest) continue;
      fewest = crossings;
      best = ranks_;
    }
    return best;
  }

 private:
  void Number(const std::vector<int32_t>& rank) {
    for (size_t i = 0; i < rank.size(); ++i) place_[rank[i]] = static_cast<double>(i);
  }

  void Sort(bool downwards) {
    for (size_t k = 0; k < ranks_.size(); ++k) {
      std::vector<int32_t>& rank = ranks_[downwards ? k : ranks_.size() - 1 - k];
      std::vector<std::pair<double, int32_t>> wishes;
      for (size_t i = 0; i < rank.size(); ++i) {
        const Neighbours& of = near_[rank[i]];
        const std::vector<int32_t>& near = downwards ? of.above : of.below;
        double sum = 0;
        for (int32_t other : near) sum += place_[other];
        // Equal wishes keep their order; a point without neighbours stays where it is.
        double wish = near.empty() ? place_[rank[i]] : sum / static_cast<double>(near.size());
        wishes.emplace_back(wish + 1e-6 * static_cast<double>(i), rank[i]);
      }
      std::ranges::sort(wishes);
      for (size_t i = 0; i < rank.size(); ++i) rank[i] = wishes[i].second;
      Number(rank);
    }
  }

  int64_t Crossings() const {
    int64_t crossings = 0;
    for (const std::vector<int32_t>& rank : ranks_) {
      std::vector<std::pair<double, double>> lines;
      for (int32_t from : rank) {
        for (int32_t to : near_[from].below) lines.emplace_back(place_[from], place_[to]);
      }
      for (size_t i = 0; i < lines.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          crossings += (lines[i].first - lines[j].first) * (lines[i].second - lines[j].second) < 0;
        }
      }
    }
    return crossings;
  }

  std::span<const Neighbours> near_;
  Ranks ranks_;
  std::vector<double> place_;  // of each point in its rank
};

}  // namespace

Ranks OrderRanks(Ranks ranks, std::span<const Neighbours> near) {
  return Orderer(std::move(ranks), near).Run();
}

}  // namespace infer
