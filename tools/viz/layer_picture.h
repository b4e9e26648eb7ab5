// SPDX-License-Identifier: Apache-2.0
//
// Presents some layers of a regime as boxes and arrows, to be drawn by DOT and SVG.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/program/program.h"
#include "tools/report/layer_groups.h"

namespace infer {

struct PictureNode {
  const NodeView* view = nullptr;  // nullptr for the source or destination of a value
  std::string title;               // the op, or where: "from layer 2"
  std::string names;               // "q_proj+k_proj+v_proj"
  std::string types;               // of weights and results: "q8_0 → f32[T,256]"
  std::string cluster;             // "layer.3/attn"; empty outside
};

struct PictureEdge {
  int32_t from = 0;
  int32_t to = 0;
  double bytes = 0;      // at the regime's upper end
  bool crosses = false;  // between devices
  bool shared = false;   // if it crosses: both work in one memory, nothing is copied
};

// Returns the label of an edge between devices: "12.0 KiB", "12.0 KiB shared".
std::string CrossingLabel(const PictureEdge& edge);

struct Picture {
  std::string title;
  std::string subtitle;
  std::vector<std::string> captions;  // lines below that: placement flags and the machine
  std::vector<PictureNode> nodes;     // every edge leads to a later one
  std::vector<PictureEdge> edges;
};

// Weights and inputs that describe the call are listed by the nodes that read them and have no
// boxes of their own.
Picture DrawLayers(const Program& program, const RegimeView& regime, const GroupedProgram& grouped,
                   std::span<const int64_t> layers);

}  // namespace infer
