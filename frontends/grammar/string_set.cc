// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/string_set.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "frontends/tokenizer/utf8.h"

namespace infer {

StringSet::StringSet(const std::vector<std::string_view>& texts) : nodes_(1) {
  // Calls `use` with each character of a text.
  const auto for_each = [](std::string_view text, const auto& use) {
    for (size_t at = 0; at < text.size();) {
      const DecodedCodePoint decoded = DecodeValidUtf8(text, at);
      at += decoded.bytes;
      use(decoded.value);
    }
  };
  // In the order of their bytes, which is that of their code points: edges are added at the end.
  std::vector<uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](uint32_t i) { return std::pair(texts[i], i); });
  for (const uint32_t number : order) {
    uint32_t node = kRoot;
    for_each(texts[number], [&](uint32_t code_point) {
      const std::vector<Edge>& edges = nodes_[node].edges;
      if (edges.empty() || edges.back().code_point != code_point) {
        const auto next = static_cast<uint32_t>(nodes_.size());
        nodes_[node].edges.push_back({code_point, next});
        nodes_.emplace_back();
        node = next;
      } else {
        node = edges.back().node;
      }
    });
    if (nodes_[node].number == kNone) nodes_[node].number = number;
  }
  // In the order of their numbers.
  for (uint32_t number = 0; number < texts.size(); ++number) {
    uint32_t node = kRoot;
    std::vector<uint32_t> path = {kRoot};
    for_each(texts[number], [&](uint32_t code_point) {
      node = Next(node, code_point);
      path.push_back(node);
    });
    if (nodes_[node].number != number) continue;
    for (const uint32_t passed : path) nodes_[passed].numbers.push_back(number);
  }
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
