// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "ir/base/checked_math.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/ops/op_list.h"
#include "ir/proto/graph_proto.h"
#include "ir/proto/serialize_placement.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

void AttrToProto(std::string_view name, const Attr& attr, proto::Attr* out) {
  out->set_name(std::string(name));
  switch (KindOf(attr)) {
    case AttrKind::kBool:
      return out->set_bool_value(std::get<bool>(attr));
    case AttrKind::kInt:
      return out->set_int_value(std::get<int64_t>(attr));
    case AttrKind::kDouble:
      return out->set_double_value(std::get<double>(attr));
    case AttrKind::kString:
      return out->set_string_value(std::get<std::string>(attr));
    case AttrKind::kInts:
      out->mutable_ints_value();  // present even if the list is empty
      for (int64_t value : std::get<std::vector<int64_t>>(attr)) {
        out->mutable_ints_value()->add_values(value);
      }
      return;
    case AttrKind::kDoubles:
      out->mutable_doubles_value();
      for (double value : std::get<std::vector<double>>(attr)) {
        out->mutable_doubles_value()->add_values(value);
      }
  }
}

std::optional<Attr> AttrFromProto(const proto::Attr& in) {
  switch (in.value_case()) {
    case proto::Attr::kBoolValue:
      return in.bool_value();
    case proto::Attr::kIntValue:
      return int64_t{in.int_value()};
    case proto::Attr::kDoubleValue:
      return in.double_value();
    case proto::Attr::kStringValue:
      return in.string_value();
    case proto::Attr::kIntsValue:
      return std::vector<int64_t>(in.ints_value().values().begin(), in.ints_value().values().end());
    case proto::Attr::kDoublesValue:
      return std::vector<double>(in.doubles_value().values().begin(),
                                 in.doubles_value().values().end());
    default:
      return std::nullopt;
  }
}

// Writes each placement once. Equal placements have equal bytes.
class PlacementTable {
 public:
  explicit PlacementTable(proto::Graph* graph) : graph_(graph) {}

  uint32_t IndexOf(const Placement& placement) {
    proto::Placement message;
    PlacementToProto(placement, &message);
    auto [at, added] = indices_.emplace(message.SerializeAsString(), indices_.size());
    if (added) *graph_->add_placements() = std::move(message);
    return static_cast<uint32_t>(at->second);
  }

 private:
  proto::Graph* graph_;
  std::map<std::string, size_t> indices_;
};

// Builds a graph node by node, in the order of the file.
class GraphReader {
 public:
  GraphReader(const proto::Graph& in, GraphLimits* limits)
      : in_(in), limits_(*limits), graph_(in.name()) {}

  absl::StatusOr<Graph> Read() {
    ASSIGN_OR_RETURN(Stage stage, EnumFromProto(in_.stage(), Stage::kPlanned, "the stage"));
    graph_.set_stage(stage);
    graph_.set_symbols(SymbolsFromProto(in_.symbols()));
    RETURN_IF_ERROR(NumberNodes());
    for (const proto::Placement& placement : in_.placements()) {
      ASSIGN_OR_RETURN(Placement read, PlacementFromProto(placement));
      placements_.push_back(std::move(read));
    }
    for (const proto::Node& node : in_.nodes()) RETURN_IF_ERROR(AddNode(node));
    RETURN_IF_ERROR(CheckIds());
    for (const proto::ValueRef& result : in_.results()) {
      absl::StatusOr<Value> value = FindValue(result);
      if (!value.ok()) return Prefixed("a result of the graph", value.status());
      graph_.AddResult(*value);
    }
    if (in_.has_plan()) {
      ASSIGN_OR_RETURN(Plan plan, PlanFromProto(in_.plan(), positions_));
      graph_.set_plan(std::move(plan));
    }
    return std::move(graph_);
  }

 private:
  static absl::Status Prefixed(std::string_view what, const absl::Status& status) {
    return absl::InvalidArgumentError(StrCat(what, ": ", ToStd(status.message())));
  }
  static std::string Describe(const proto::Node& node) {
    std::string name = node.results().empty() ? "" : node.results(0).name();
    if (name.empty()) name = StrCat("of ", node.scope().empty() ? "no scope" : node.scope());
    return StrCat("node ", Quote(name), " (", Quote(node.op()), ")");
  }
  static absl::Status Error(const proto::Node& node, std::string_view what) {
    return absl::InvalidArgumentError(StrCat(Describe(node), ": ", what));
  }

  absl::Status NumberNodes() {
    limits_.nodes -= in_.nodes_size();
    if (limits_.nodes < 0) return absl::InvalidArgumentError("has more than 1 Mi nodes");
    positions_.reserve(in_.nodes_size());
    for (const proto::Node& node : in_.nodes()) {
      int32_t position = static_cast<int32_t>(positions_.size());
      if (!positions_.emplace(node.id(), position).second) {
        return Error(node, StrCat("its id ", node.id(), " is already used by another node"));
      }
      limits_.edges -= node.inputs_size();
    }
    if (limits_.edges < 0) return absl::InvalidArgumentError("has more than 8 Mi edges");
    return absl::OkStatus();
  }

  absl::StatusOr<Value> FindValue(const proto::ValueRef& ref) const {
    auto found = positions_.find(ref.node());
    if (found == positions_.end()) {
      return absl::InvalidArgumentError(
          StrCat("refers to the node ", ref.node(), ", which does not exist"));
    }
    if (found->second >= static_cast<int64_t>(nodes_.size())) {
      return absl::InvalidArgumentError(
          StrCat("refers to ", Describe(in_.nodes(found->second)),
                 ", which comes later: the graph has a cycle or is out of order"));
    }
    Node* node = nodes_[found->second];
    if (ref.result() < 0 || ref.result() >= node->num_results()) {
      return absl::InvalidArgumentError(StrCat("refers to result ", ref.result(), " of ",
                                               DescribeNode(*node), ", which has ",
                                               node->num_results()));
    }
    return Value{node, ref.result()};
  }

  absl::StatusOr<std::vector<Attr>> ReadAttrs(const proto::Node& in, const OpDef& op) const {
    std::vector<Attr> attrs;
    int next = 0;
    for (const AttrSpec& spec : op.attrs) {
      if (spec.optional && (next >= in.attrs_size() || in.attrs(next).name() != spec.name)) {
        attrs.push_back(DefaultOf(spec.kind));
        continue;
      }
      if (next >= in.attrs_size()) return Error(in, StrCat("has no attribute ", spec.name));
      const proto::Attr& attr = in.attrs(next++);
      if (attr.name() != spec.name) {
        return Error(in,
                     StrCat("has the attribute ", Quote(attr.name()), ", expected ", spec.name));
      }
      std::optional<Attr> value = AttrFromProto(attr);
      if (!value || KindOf(*value) != spec.kind) {
        return Error(in,
                     StrCat("attribute ", spec.name, " is of kind ",
                            value ? Name(KindOf(*value)) : "none", ", expected ", Name(spec.kind)));
      }
      attrs.push_back(*std::move(value));
    }
    if (next < in.attrs_size()) {
      return Error(in, StrCat("has the unknown attribute ", Quote(in.attrs(next).name())));
    }
    return attrs;
  }

  absl::Status AddNode(const proto::Node& in) {
    const OpDef* op = FindOp(in.op());
    if (op == nullptr) return Error(in, "the op is unknown");
    if (in.results().empty()) return Error(in, "has no results");
    std::vector<Value> inputs;
    for (const proto::ValueRef& ref : in.inputs()) {
      absl::StatusOr<Value> value = FindValue(ref);
      if (!value.ok()) {
        return Prefixed(StrCat(Describe(in), ": input ", inputs.size()), value.status());
      }
      inputs.push_back(*value);
    }
    ASSIGN_OR_RETURN(std::vector<Attr> attrs, ReadAttrs(in, *op));
    std::vector<ValueType> types;
    for (const proto::Node::Result& result : in.results()) {
      absl::StatusOr<ValueType> type = TypeFromProto(result.type());
      if (!type.ok()) return Prefixed(Describe(in), type.status());
      types.push_back(*type);
    }
    Node* node = graph_.Insert(nullptr, *op, std::move(inputs), std::move(attrs), std::move(types));
    nodes_.push_back(node);
    return FillNode(in, node);
  }

  absl::Status FillNode(const proto::Node& in, Node* node) {
    for (int i = 0; i < in.results_size(); ++i) {
      node->result(i).name = in.results(i).name();
      node->result(i).origin = in.results(i).origin();
    }
    node->set_scope(in.scope());
    node->set_merged_scopes({in.merged_scopes().begin(), in.merged_scopes().end()});
    if (!in.has_placement()) return absl::OkStatus();
    if (in.placement() >= placements_.size()) {
      return Error(in, StrCat("refers to placement ", in.placement(),
                              "; the number of placements is ", placements_.size()));
    }
    node->set_placement(placements_[in.placement()]);
    return absl::OkStatus();
  }

  // Profiles and diffs join graphs by these ids, so a stored id must match the computed one.
  absl::Status CheckIds() const {
    std::vector<uint64_t> ids = NodeIds(graph_);
    for (int i = 0; i < in_.nodes_size(); ++i) {
      if (ids[i] == in_.nodes(i).id()) continue;
      return Error(in_.nodes(i), StrCat("its id is ", in_.nodes(i).id(), ", expected ", ids[i]));
    }
    return absl::OkStatus();
  }

  const proto::Graph& in_;
  GraphLimits& limits_;
  Graph graph_;
  NodePositions positions_;
  std::vector<Node*> nodes_;
  std::vector<Placement> placements_;
};

class GraphWriter {
 public:
  GraphWriter(const Graph& graph, proto::Graph* out)
      : graph_(graph), out_(*out), placements_(out), ids_(NodeIds(graph)) {}

  void Write() {
    out_.set_name(graph_.name());
    out_.set_stage(EnumToProto<proto::Graph::Stage>(graph_.stage()));
    SymbolsToProto(graph_.symbols(), out_.mutable_symbols());
    std::vector<Node*> nodes = graph_.nodes();
    for (size_t i = 0; i < nodes.size(); ++i) {
      id_of_[nodes[i]] = ids_[i];
      WriteNode(*nodes[i], ids_[i], out_.add_nodes());
    }
    for (Value result : graph_.results()) WriteRef(result, out_.add_results());
    if (graph_.plan()) PlanToProto(*graph_.plan(), ids_, out_.mutable_plan());
  }

 private:
  void WriteRef(Value value, proto::ValueRef* ref) const {
    ref->set_node(id_of_.at(value.node));
    ref->set_result(value.index);
  }

  void WriteNode(const Node& node, uint64_t id, proto::Node* made) {
    made->set_id(id);
    made->set_op(std::string(node.op().name));
    made->set_scope(node.scope());
    for (const std::string& scope : node.merged_scopes()) made->add_merged_scopes(scope);
    for (Value input : node.inputs()) WriteRef(input, made->add_inputs());
    for (size_t i = 0; i < node.attrs().size(); ++i) {
      const AttrSpec& spec = node.op().attrs[i];
      if (spec.optional && node.attrs()[i] == DefaultOf(spec.kind)) continue;
      AttrToProto(spec.name, node.attrs()[i], made->add_attrs());
    }
    for (int i = 0; i < node.num_results(); ++i) {
      proto::Node::Result* result = made->add_results();
      TypeToProto(node.result(i).type, result->mutable_type());
      result->set_name(node.result(i).name);
      result->set_origin(node.result(i).origin);
    }
    if (node.placement()) made->set_placement(placements_.IndexOf(*node.placement()));
  }

  const Graph& graph_;
  proto::Graph& out_;
  PlacementTable placements_;
  std::vector<uint64_t> ids_;
  std::unordered_map<const Node*, uint64_t> id_of_;
};

}  // namespace

void GraphToProto(const Graph& graph, proto::Graph* out) { GraphWriter(graph, out).Write(); }

absl::StatusOr<Graph> GraphFromProto(const proto::Graph& in, GraphLimits* limits) {
  return GraphReader(in, limits).Read();
}

}  // namespace infer
