// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/svg.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/graph/placement.h"
#include "tools/report/quantity_text.h"
#include "tools/viz/box_text.h"
#include "tools/viz/layout.h"
#include "tools/viz/target_look.h"

namespace infer {
namespace {

constexpr double kMargin = 28;
constexpr double kHeadHeight = 58;
constexpr double kCaptionHeight = 16;
constexpr double kLegendHeight = 40;
constexpr double kClusterPadding = 14;
constexpr double kClusterLabel = 16;  // room for its name

std::string Number(double value) { return absl::StrFormat("%.1f", value); }

class SvgWriter {
 public:
  explicit SvgWriter(const Picture& picture) : picture_(picture) {
    for (const PictureNode& node : picture.nodes) sizes_.push_back(BoxSize(node));
    std::vector<LayoutEdge> edges;
    for (const PictureEdge& edge : picture.edges) edges.push_back({edge.from, edge.to});
    layout_ = LayOut(sizes_, edges);
    double heading = std::max(TextWidth(picture.title, 16), TextWidth(picture.subtitle, 11.5));
    for (const std::string& caption : picture.captions) {
      heading = std::max(heading, TextWidth(caption, 11.5));
    }
    const double head = kHeadHeight + kCaptionHeight * static_cast<double>(picture.captions.size());
    width_ = std::max({layout_.width, heading, 420.0}) + 2 * kMargin + 2 * kClusterPadding;
    height_ = layout_.height + head + kLegendHeight + 2 * kMargin + 2 * kClusterPadding;
    left_ = (width_ - layout_.width) / 2;
    top_ = kMargin + head + kClusterPadding;
  }

  std::string Write() {
    WriteHead();
    WriteClusters();
    for (size_t i = 0; i < picture_.edges.size(); ++i) WriteEdge(i);
    for (size_t i = 0; i < picture_.nodes.size(); ++i) WriteNode(i);
    WriteLegend();
    return out_ + "</svg>\n";
  }

 private:
  void WriteHead() {
    StrAppend(&out_, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", Number(width_),
              " ", Number(height_), "\" width=\"", Number(width_), "\" height=\"", Number(height_),
              "\" role=\"img\" aria-label=\"", XmlText(picture_.title), "\">\n");
    out_ +=
        "<style>text{font-family:Inter,Helvetica,Arial,sans-serif;fill:#1f2937}"
        ".title{font-size:16px;font-weight:600}.sub{font-size:11.5px;fill:#6b7280}"
        ".op{font-size:13px;font-weight:600}.name{font-size:10.5px;fill:#4b5563}"
        ".mono{font:10px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#4b5563}"
        ".kernel{font-size:10px;fill:#6b7280}.end{font-size:11px;fill:#4b5563}"
        ".part{font-size:11px;font-weight:600;fill:#9ca3af;letter-spacing:.04em}"
        ".edge{fill:none;stroke:#9ca3af;stroke-width:1.4}"
        ".cross{fill:none;stroke:#d55e00;stroke-width:2.2}.shared{stroke-dasharray:5 3}"
        ".bytes{font-size:10px;fill:#b34700;font-weight:600}</style>\n"
        "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0.8L7.2 4L0 7.2z\" fill=\"#9ca3af\"/>"
        "</marker><marker id=\"c\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" "
        "markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0.8L7.2 4L0 7.2z\" fill=\"#d55e00\"/>"
        "</marker></defs>\n";
    StrAppend(&out_, "<rect width=\"", Number(width_), "\" height=\"", Number(height_),
              "\" fill=\"#ffffff\"/>\n");
    AddText(kMargin, kMargin + 14, "title", picture_.title);
    double y = kMargin + 34;
    AddText(kMargin, y, "sub", picture_.subtitle);
    for (const std::string& caption : picture_.captions) {
      AddText(kMargin, y += kCaptionHeight, "sub", caption);
    }
  }

  void AddText(double x, double y, std::string_view css, std::string_view text) {
    StrAppend(&out_, "<text x=\"", Number(x), "\" y=\"", Number(y), "\" class=\"", css, "\">",
              XmlText(text), "</text>\n");
  }

  // Draws a frame around the rows of a part, unless frames would overlap.
  void WriteClusters() {
    struct Frame {
      double top = 1e300, bottom = -1e300;
    };
    std::map<std::string, Frame> frames;
    for (size_t i = 0; i < picture_.nodes.size(); ++i) {
      if (picture_.nodes[i].cluster.empty()) continue;
      Frame& frame = frames[picture_.nodes[i].cluster];
      const Point& center = layout_.centers[i];
      frame.top = std::min(frame.top, center.y - sizes_[i].height / 2);
      frame.bottom = std::max(frame.bottom, center.y + sizes_[i].height / 2);
    }
    for (const auto& [name, frame] : frames) {
      for (const auto& [other_name, other] : frames) {
        if (name != other_name && frame.top < other.bottom && other.top < frame.bottom) return;
      }
    }
    for (const auto& [name, frame] : frames) {
      double x = left_ - kClusterPadding, y = top_ + frame.top - kClusterPadding + 2;
      StrAppend(&out_, "<rect x=\"", Number(x), "\" y=\"", Number(y), "\" width=\"",
                Number(layout_.width + 2 * kClusterPadding), "\" height=\"",
                Number(frame.bottom - frame.top + 2 * kClusterPadding - 4),
                "\" rx=\"10\" fill=\"#fafafa\" stroke=\"#e5e7eb\"/>\n");
      AddText(x + 10, y + kClusterLabel, "part", name);
    }
  }

  // Draws a curve through the points of the route, vertical at each.
  void WriteEdge(size_t i) {
    const PictureEdge& edge = picture_.edges[i];
    const std::vector<Point>& route = layout_.routes[i];
    std::string path = StrCat("M", At(route[0]));
    for (size_t k = 1; k < route.size(); ++k) {
      double middle = (route[k - 1].y + route[k].y) / 2;
      StrAppend(&path, "C", At({route[k - 1].x, middle}), " ", At({route[k].x, middle}), " ",
                At(route[k]));
    }
    StrAppend(&out_, "<path d=\"", path, "\" class=\"", edge.crosses ? "cross" : "edge",
              edge.shared ? " shared" : "", "\" marker-end=\"url(#", edge.crosses ? "c" : "a",
              ")\"><title>", BytesText(edge.bytes), "</title></path>\n");
    if (!edge.crosses) return;
    const Point& end = route.back();
    AddText(left_ + end.x + 8, top_ + end.y - 12, "bytes", CrossingLabel(edge));
  }

  void WriteNode(size_t i) {
    const PictureNode& node = picture_.nodes[i];
    double x = left_ + layout_.centers[i].x - sizes_[i].width / 2;
    double y = top_ + layout_.centers[i].y - sizes_[i].height / 2;
    out_ += "<g>";
    if (node.view == nullptr) {
      WriteBox(x, y, sizes_[i], {.stroke = "#d1d5db", .fill = "#ffffff", .border = 1.2},
               sizes_[i].height / 2);
    } else {
      StrAppend(&out_, "<title>", XmlText(NodeName(*node.view->node)), "</title>");
      const TargetLook& style = LookOf(node.view->placement().target);
      WriteBox(x, y, sizes_[i], style, 6);
      StrAppend(&out_, "<rect x=\"", Number(x + style.border / 2), "\" y=\"", Number(y + 7),
                "\" width=\"", Number(kBoxBarWidth), "\" height=\"", Number(sizes_[i].height - 14),
                "\" fill=\"", style.stroke, "\"/>");
    }
    double text_x = x + kBoxPadding + (node.view == nullptr ? 0 : kBoxBarWidth), text_y = y + 18;
    for (const BoxLine& line : BoxLines(node)) {
      AddText(text_x, text_y, line.css, line.text);
      text_y += kBoxLineHeight;
    }
    out_ += "</g>\n";
  }

  void WriteBox(double x, double y, const LayoutNode& size, const TargetLook& style,
                double radius) {
    StrAppend(&out_, "<rect x=\"", Number(x), "\" y=\"", Number(y), "\" width=\"",
              Number(size.width), "\" height=\"", Number(size.height), "\" rx=\"", Number(radius),
              "\" fill=\"", style.fill, "\" stroke=\"", style.stroke, "\" stroke-width=\"",
              absl::StrFormat("%.2f", style.border), "\"");
    if (!style.dash.empty()) StrAppend(&out_, " stroke-dasharray=\"", style.dash, "\"");
    out_ += "/>";
  }

  void WriteLegend() {
    std::set<Target> used;
    for (const PictureNode& node : picture_.nodes) {
      if (node.view != nullptr) used.insert(node.view->placement().target);
    }
    double x = kMargin, y = height_ - kMargin - 14;
    for (Target target : used) {
      WriteBox(x, y, {22, 14, false}, LookOf(target), 3);
      AddText(x + 30, y + 11, "name", Name(target));
      x += 30 + TextWidth(Name(target), 10.5) + 24;
    }
    out_ += "\n";
  }

  std::string At(const Point& point) const {
    return StrCat(Number(left_ + point.x), " ", Number(top_ + point.y));
  }

  const Picture& picture_;
  std::vector<LayoutNode> sizes_;
  Layout layout_;
  double width_ = 0, height_ = 0, left_ = 0, top_ = 0;
  std::string out_;
};

}  // namespace

std::string XmlText(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        // XML cannot represent control characters.
        escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return escaped;
}

std::string SvgText(const Picture& picture) { return SvgWriter(picture).Write(); }

}  // namespace infer
