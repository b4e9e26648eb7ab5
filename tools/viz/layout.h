// SPDX-License-Identifier: Apache-2.0
//
// Places the nodes of an acyclic graph in rows, top to bottom, and routes its edges. Meant for
// small graphs: a layer of a model has ten nodes, or a hundred if it is decomposed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace infer {

struct Point {
  double x = 0;
  double y = 0;
};

struct LayoutNode {
  double width = 0;
  double height = 0;
  bool is_aside = false;  // others do not align with it: source or destination of a value
};

// Leads from a node to a later one: `from` < `to`.
struct LayoutEdge {
  int32_t from = 0;
  int32_t to = 0;
};

struct Layout {
  std::vector<Point> centers;              // of the nodes
  std::vector<std::vector<Point>> routes;  // of the edges, from border to border
  double width = 0;
  double height = 0;
};

Layout LayOut(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges);

}  // namespace infer
