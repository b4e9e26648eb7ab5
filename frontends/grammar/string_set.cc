// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/string_set.h"

#include <algorithm>

#include "frontends/tokenizer/utf8.h"

namespace infer {

void StringSet::Add(std::string_view text, uint32_t number) {
  std::vector<uint32_t> path = {kRoot};
  for (size_t at = 0; at < text.size();) {
    const DecodedCodePoint decoded = DecodeValidUtf8(text, at);
    at += decoded.bytes;
    uint32_t next = Next(path.back(), decoded.value);
    if (next == kNone) {
      next = static_cast<uint32_t>(nodes_.size());
      std::vector<Edge>& edges = nodes_[path.back()].edges;
      edges.insert(std::ranges::lower_bound(edges, decoded.value, {}, &Edge::code_point),
                   {decoded.value, next});
      nodes_.emplace_back();
    }
    path.push_back(next);
  }
  if (nodes_[path.back()].number != kNone) return;
  nodes_[path.back()].number = number;
  for (const uint32_t node : path) nodes_[node].numbers.push_back(number);
}

void StringSet::Hide(const std::vector<bool>& numbers) {
  for (Node& node : nodes_) std::erase_if(node.numbers, [&](uint32_t n) { return numbers[n]; });
}

uint32_t StringSet::Next(uint32_t node, uint32_t code_point) const {
  const std::vector<Edge>& edges = nodes_[node].edges;
  const auto it = std::ranges::lower_bound(edges, code_point, {}, &Edge::code_point);
  return it == edges.end() || it->code_point != code_point ? kNone : it->node;
}

uint32_t StringSet::OnlyNext(uint32_t node, uint32_t low, uint32_t high) const {
  uint32_t only = kNone;
  size_t count = 0;
  ForEachNext(node, low, high, [&](uint32_t code_point) {
    only = code_point;
    ++count;
  });
  return count == 1 ? only : kNone;
}

bool StringSet::LeadsTo(uint32_t node, uint32_t low, uint32_t high) const {
  const std::vector<uint32_t>& numbers = nodes_[node].numbers;
  const auto it = std::ranges::lower_bound(numbers, low);
  return it != numbers.end() && *it <= high;
}

bool StringSet::LeadsTo(uint32_t node, uint32_t first, uint32_t last, uint32_t low,
                        uint32_t high) const {
  const std::vector<Edge>& edges = nodes_[node].edges;
  auto it = std::ranges::lower_bound(edges, first, {}, &Edge::code_point);
  for (; it != edges.end() && it->code_point <= last; ++it) {
    if (LeadsTo(it->node, low, high)) return true;
  }
  return false;
}

}  // namespace infer
