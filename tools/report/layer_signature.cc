// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "ir/base/hash.h"
#include "ir/graph/placement.h"
#include "passes/node_facts.h"
#include "tools/report/layer_groups.h"

namespace infer {
namespace {

void AddNumber(Hasher& hash, double number) { hash.Add(std::bit_cast<uint64_t>(number)); }

void AddCount(Hasher& hash, const SymbolicCount& count) {
  for (double part : {count.c0, count.ct, count.cr, count.cs, count.cts, count.ctsn})
    AddNumber(hash, part);
}

// Hashes where an input comes from, independent of the layer's number: inputs from outside the
// layer (the previous layer, the embedding, a weight) are all the same.
void AddSource(Hasher& hash, const Node& node, const Value& input) {
  const Node& from = *input.node;
  if (from.op().traits.weight || LayerOf(from.scope()) != LayerOf(node.scope())) return;
  hash.Add(WithoutLayer(from.scope())).Add(from.op().name).Add(static_cast<uint64_t>(input.index));
}

void AddPlacement(Hasher& hash, const Placement& placement) {
  hash.Add(static_cast<uint64_t>(placement.target)).Add(placement.kernel).Add(placement.rule);
  hash.Add(static_cast<uint64_t>(placement.source));
  for (const Term& term : placement.terms) {
    hash.Add(term.field).Add(term.cmp);
    AddNumber(hash, term.threshold);
    if (term.field == "layer") continue;
    AddNumber(hash, term.lo);
    AddNumber(hash, term.hi);
  }
  for (const Rejected& rejected : placement.rejected) {
    hash.Add(static_cast<uint64_t>(rejected.target)).Add(static_cast<uint64_t>(rejected.code));
    hash.Add(rejected.text);
  }
  AddCount(hash, placement.cost.flops);
  AddCount(hash, placement.cost.bytes);
  AddNumber(hash, placement.estimate_ns_min);
  AddNumber(hash, placement.estimate_ns_max);
}

}  // namespace

uint64_t LayerSignature(const NodeView& view, CompareInputs inputs) {
  const Node& node = *view.node;
  Hasher hash;
  hash.Add(node.op().name);
  for (const Attr& attr : node.attrs()) hash.Add(ToString(attr));
  for (const Value& input : node.inputs()) {
    hash.Add(ToString(input.type()));
    if (inputs == CompareInputs::kBySource) AddSource(hash, node, input);
  }
  for (const ValueType& type : node.ResultTypes()) hash.Add(ToString(type));
  for (const std::string& scope : node.merged_scopes()) hash.Add(WithoutLayer(scope));
  AddPlacement(hash, view.placement());
  return hash.Finish();
}

}  // namespace infer
