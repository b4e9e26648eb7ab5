// SPDX-License-Identifier: Apache-2.0
//
// The layered method in its usual four steps. Ranks: a node is below everything it reads, and one
// that reads nothing is just above its first reader. Bends: an edge over several ranks gets a point
// in each, so that it has a place of its own. Order: rank_order.h. Places: each point is drawn to
// where its neighbours are, as closely as the order and gaps of its rank allow.
#include "tools/viz/layout.h"

#include <algorithm>
#include <utility>

#include "tools/viz/place_on_line.h"
#include "tools/viz/rank_order.h"
#include "tools/viz/ranks.h"

namespace infer {
namespace {

constexpr double kGapX = 26;  // between neighbours of a rank
constexpr double kGapY = 42;  // between ranks: room for an arrow head and a label
constexpr double kBendWidth = 10;

// What aligns with what: nodes with nodes, the rest with them.
enum class SpotKind : uint8_t { kBend, kAside, kNode };

// A node, or the bend of an edge.
struct Spot {
  SpotKind kind = SpotKind::kBend;
  int32_t rank = 0;
  double width = kBendWidth;
  double height = 0;
  double x = 0;
  double y = 0;
};

class Layouter {
 public:
  Layouter(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges) : edges_(edges) {
    std::vector<int32_t> ranks = RanksOf(static_cast<int32_t>(nodes.size()), edges);
    for (const LayoutNode& node : nodes) {
      Spot spot;
      spot.rank = ranks[spots_.size()];
      spot.width = node.width;
      spot.height = node.height;
      spot.kind = node.is_aside ? SpotKind::kAside : SpotKind::kNode;
      spots_.push_back(std::move(spot));
    }
    num_nodes_ = static_cast<int32_t>(nodes.size());
  }

  Layout Run() {
    AddBends();
    ranks_ = OrderRanks(std::move(ranks_), near_);
    PlaceRows();
    for (int sweep = 0; sweep < 16; ++sweep) PlaceColumns(sweep % 2 == 0);
    Straighten();
    return Finish();
  }

 private:
  void AddBends() {
    paths_.resize(edges_.size());
    near_.resize(spots_.size());
    for (size_t i = 0; i < edges_.size(); ++i) {
      paths_[i].push_back(edges_[i].from);
      for (int32_t r = spots_[edges_[i].from].rank + 1; r < spots_[edges_[i].to].rank; ++r) {
        Spot bend;
        bend.rank = r;
        paths_[i].push_back(static_cast<int32_t>(spots_.size()));
        spots_.push_back(std::move(bend));
      }
      paths_[i].push_back(edges_[i].to);
      near_.resize(spots_.size());
      for (size_t k = 1; k < paths_[i].size(); ++k) {
        near_[paths_[i][k - 1]].below.push_back(paths_[i][k]);
        near_[paths_[i][k]].above.push_back(paths_[i][k - 1]);
      }
    }
    for (size_t i = 0; i < spots_.size(); ++i) {
      size_t rank = static_cast<size_t>(spots_[i].rank);
      if (ranks_.size() <= rank) ranks_.resize(rank + 1);
      ranks_[rank].push_back(static_cast<int32_t>(i));
    }
  }

  void PlaceRows() {
    double top = 0;
    for (const std::vector<int32_t>& rank : ranks_) {
      double height = 0, left = 0;
      for (int32_t i : rank) height = std::max(height, spots_[i].height);
      for (int32_t i : rank) {
        spots_[i].y = top + height / 2;
        // A bend runs straight past the whole rank, so that no curve cuts a corner of a box.
        if (spots_[i].kind == SpotKind::kBend) spots_[i].height = height;
        spots_[i].x = left + spots_[i].width / 2;
        left += spots_[i].width + kGapX;
      }
      top += height + kGapY;
    }
    height_ = top - kGapY;
  }

  // A node follows nodes rather than bends, or the residual stream would bend the main line; a bend
  // follows its edge.
  double WishOf(int32_t i, bool downwards) const {
    const Spot& spot = spots_[i];
    const std::vector<int32_t>& near = downwards ? near_[i].above : near_[i].below;
    std::vector<SpotKind> kinds = {SpotKind::kNode, SpotKind::kAside, SpotKind::kBend};
    if (spot.kind == SpotKind::kBend) std::ranges::reverse(kinds);
    for (SpotKind kind : kinds) {
      double sum = 0, count = 0;
      for (int32_t other : near) {
        if (spots_[other].kind != kind) continue;
        sum += spots_[other].x;
        count += 1;
      }
      if (count > 0) return sum / count;
    }
    return spot.x;
  }

  static double WeightOf(const Spot& spot) {
    return spot.kind == SpotKind::kNode ? 1e6 : spot.kind == SpotKind::kAside ? 1e3 : 1;
  }

  void PlaceColumns(bool downwards) {
    for (size_t k = 0; k < ranks_.size(); ++k) {
      const std::vector<int32_t>& rank = ranks_[downwards ? k : ranks_.size() - 1 - k];
      std::vector<LinePoint> points;
      for (int32_t i : rank) {
        points.push_back({WishOf(i, downwards), WeightOf(spots_[i]), spots_[i].width});
      }
      std::vector<double> places = PlaceOnLine(points, kGapX);
      for (size_t i = 0; i < rank.size(); ++i) spots_[rank[i]].x = places[i];
    }
  }

  // An edge that runs along the border of all its ranks needs no bends.
  void Straighten() {
    for (const std::vector<int32_t>& path : paths_) {
      bool leftmost = true, rightmost = true;
      double left = 1e300, right = -1e300;
      for (size_t i = 1; i + 1 < path.size(); ++i) {
        const Spot& bend = spots_[path[i]];
        leftmost = leftmost && ranks_[bend.rank].front() == path[i];
        rightmost = rightmost && ranks_[bend.rank].back() == path[i];
        left = std::min(left, bend.x);
        right = std::max(right, bend.x);
      }
      if (!leftmost && !rightmost) continue;
      for (size_t i = 1; i + 1 < path.size(); ++i) {
        spots_[path[i]].x = rightmost ? right : left;
      }
    }
  }

  Layout Finish() {
    double left = 1e300, right = -1e300;
    for (const Spot& spot : spots_) {
      left = std::min(left, spot.x - spot.width / 2);
      right = std::max(right, spot.x + spot.width / 2);
    }
    Layout layout;
    layout.width = spots_.empty() ? 0 : right - left;
    layout.height = height_;
    auto at = [&](int32_t i) { return Point{spots_[i].x - left, spots_[i].y}; };
    for (int32_t i = 0; i < num_nodes_; ++i) layout.centers.push_back(at(i));
    for (const std::vector<int32_t>& path : paths_) {
      std::vector<Point> route;
      for (int32_t i : path) {
        double half = spots_[i].height / 2;
        if (i != path.front()) route.push_back({at(i).x, at(i).y - half});
        if (i != path.back()) route.push_back({at(i).x, at(i).y + half});
      }
      layout.routes.push_back(std::move(route));
    }
    return layout;
  }

  std::span<const LayoutEdge> edges_;
  int32_t num_nodes_ = 0;
  std::vector<Spot> spots_;                  // nodes, then bends
  std::vector<std::vector<int32_t>> paths_;  // spots of each edge
  std::vector<Neighbours> near_;             // of each spot
  Ranks ranks_;
  double height_ = 0;
};

}  // namespace

Layout LayOut(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges) {
  return Layouter(nodes, edges).Run();
}

}  // namespace infer
