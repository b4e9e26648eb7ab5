// SPDX-License-Identifier: Apache-2.0
//
// Hashes the fields themselves: the pipeline takes a fingerprint before and after every pass, and
// printing a graph to hash its text took longer than most passes.
#include "ir/text/fingerprint.h"

#include <bit>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/graph/plan.h"
#include "ir/text/text_fields.h"

namespace infer {
namespace {

// Mixes values and lists eight bytes at a time. Walks records by the same lists as the printer, so
// that a field that is printed is also hashed. The hash is not stored anywhere and may change.
class StructuralHasher {
 public:
  template <class T>
    requires std::integral<T> || std::is_enum_v<T>
  void Add(T value) {
    Mix(static_cast<uint64_t>(value));
  }
  void Add(double value) { Mix(std::bit_cast<uint64_t>(value)); }
  void Add(std::string_view text) {
    Mix(text.size());
    for (; text.size() >= 8; text.remove_prefix(8)) Mix(Word(text.data(), 8));
    if (!text.empty()) Mix(Word(text.data(), text.size()));
  }
  void Add(const std::string& text) { Add(std::string_view(text)); }
  void Add(ValueRef ref) {
    Add(ref.node);
    Add(ref.result);
  }
  void Add(const ValueType& type) {
    Add(type.kind);
    Add(type.tensor.dtype);
    Add(type.rank());
    for (Dim dim : type.tensor.shape) Add(dim.value());  // for a symbol, its negative code
  }
  void Add(const Attr& attr) {
    Add(attr.index());
    std::visit([this](const auto& value) { Add(value); }, attr);
  }
  template <class T>
  void Add(const std::vector<T>& list) {
    Mix(list.size());
    for (const T& element : list) Add(element);
  }
  template <class T>
  void Add(const std::optional<T>& value) {
    Mix(value.has_value());
    if (value) Add(*value);
  }
  template <IsRecord T>
  void Add(const T& record) {
    Record<T>::Fields([&](std::string_view, auto member, auto...) { Add(record.*member); });
  }

  uint64_t Finish() const { return state_ ^ (state_ >> 29); }

 private:
  static uint64_t Word(const char* bytes, size_t size) {
    uint64_t word = 0;
    std::memcpy(&word, bytes, size);
    return word;
  }
  void Mix(uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 32;
  }

  uint64_t state_ = 0x2545f4914f6cdd1du;
};

}  // namespace

uint64_t Fingerprint(const Graph& graph) {
  StructuralHasher hasher;
  hasher.Add(graph.name());
  hasher.Add(graph.stage());
  for (const Range& range : graph.symbols().ranges) {
    hasher.Add(range.min);
    hasher.Add(range.max);
  }
  const std::vector<Node*> nodes = graph.nodes();
  absl::flat_hash_map<const Node*, int32_t> positions;
  positions.reserve(nodes.size());
  // A value that is not in the graph prints as %?; any two of them hash alike.
  auto add_value = [&](Value value) {
    auto found = positions.find(value.node);
    hasher.Add(ValueRef{found == positions.end() ? -1 : found->second, value.index});
  };
  for (const Node* node : nodes) positions.emplace(node, positions.size());
  for (const Node* node : nodes) {
    hasher.Add(node->op().name);
    hasher.Add(node->inputs().size());
    for (Value input : node->inputs()) add_value(input);
    hasher.Add(node->attrs().size());
    for (const Attr& attr : node->attrs()) hasher.Add(attr);
    hasher.Add(node->num_results());
    for (int i = 0; i < node->num_results(); ++i) {
      const NodeResult& result = node->result(i);
      hasher.Add(result.type);
      hasher.Add(result.name);
      hasher.Add(result.origin);
    }
    hasher.Add(node->scope());
    hasher.Add(node->merged_scopes());
    hasher.Add(node->placement() != nullptr);
    if (node->placement() != nullptr) {
      // Not a field of the record, because the text has it before the record.
      hasher.Add(node->placement()->target);
      hasher.Add(*node->placement());
    }
  }
  hasher.Add(graph.results().size());
  for (Value result : graph.results()) add_value(result);
  hasher.Add(graph.plan() != nullptr);
  if (graph.plan() != nullptr) hasher.Add(*graph.plan());
  return hasher.Finish();
}

}  // namespace infer
