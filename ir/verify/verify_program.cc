// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "ir/base/checked_math.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/barriers.h"
#include "ir/graph/plan.h"
#include "ir/ops/attributes.h"
#include "ir/verify/verifier.h"
#include "ir/verify/verify_decisions.h"
#include "ir/verify/verify_kernel_choices.h"
#include "ir/verify/verify_names.h"

namespace infer {
namespace {

absl::Status Error(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

// Returns whether the name stays in the folder it is looked up in and can be shown unchanged.
bool IsBaseName(std::string_view name) {
  auto bad = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '/' || c == '\\'; };
  return !name.empty() && name != "." && name.find("..") == std::string_view::npos &&
         std::none_of(name.begin(), name.end(), bad);
}

absl::Status VerifyModel(const ModelRef& model) {
  if (model.files.empty()) return Error("the Program names no model file");
  for (const ModelRef::File& file : model.files) {
    if (!IsBaseName(file.name)) {
      return Error(StrCat("the model file is named ", Quote(file.name),
                          ", expected a name without folders"));
    }
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  if (model.header_hash.size() != 32 ||
      model.header_hash.find_first_not_of(kHex) != std::string::npos) {
    return Error(StrCat("the model's header hash is ", Quote(model.header_hash),
                        ", expected 32 lower-case hex digits"));
  }
  return absl::OkStatus();
}

absl::Status VerifyWeightType(const Weight& weight) {
  auto error = [&](std::string_view what) {
    return Error(StrCat("weight ", Quote(weight.name), ": ", what));
  };
  for (Dim dim : weight.type.shape) {
    if (dim.is_symbol() || dim.value() < 1 || dim.value() > kMaxDim) {
      return error(StrCat("its dimensions must be numbers from 1 to ", kMaxDim));
    }
  }
  const WeightSlice& slice = weight.slice;
  if (slice.parts != 0 && (slice.parts < 2 || slice.parts > kMaxRanks || slice.axis < 0 ||
                           slice.axis >= weight.type.rank() ||
                           weight.type.dim(slice.axis).value() > kMaxDim / slice.parts ||
                           !weight.name.ends_with(WeightKey("", slice)))) {
    return error(StrCat("is not a part of ", slice.parts, " along axis ", slice.axis));
  }
  std::optional<uint64_t> bytes = BytesAt(weight.type, {});
  if (bytes != weight.bytes) {
    return error(StrCat("has ", weight.bytes, " bytes, but ",
                        ToString(ValueType{TypeKind::kTensor, weight.type}), " takes ",
                        bytes.value_or(0)));
  }
  return absl::OkStatus();
}

absl::Status VerifyWeights(const Program& program) {
  for (size_t i = 0; i < program.weights.size(); ++i) {
    const Weight& weight = program.weights[i];
    auto error = [&](std::string_view what) {
      return Error(StrCat("weight ", Quote(weight.name), ": ", what));
    };
    if (weight.name.empty()) return error("has no name");
    if (i > 0 && weight.name <= program.weights[i - 1].name) {
      return error(StrCat("comes after ", Quote(program.weights[i - 1].name),
                          "; weights must be in ascending order, each once"));
    }
    RETURN_IF_ERROR(VerifyWeightType(weight));
    if (weight.slice.parts != 0 && weight.slice.parts != program.policy.shard.ranks) {
      return error(StrCat("is one of ", weight.slice.parts, " parts, but the program is for ",
                          program.policy.shard.ranks, " ranks"));
    }
    if (weight.file < 0 || weight.file >= static_cast<int64_t>(program.model.files.size())) {
      return error(StrCat("is in file ", weight.file, "; the number of files is ",
                          program.model.files.size()));
    }
    std::optional<uint64_t> end = CheckedAdd(weight.offset, weight.WholeBytes());
    if (!end || *end > program.model.files[weight.file].bytes) {
      return error(StrCat("bytes ", weight.offset, "+", weight.bytes, " lie outside its file of ",
                          program.model.files[weight.file].bytes, " bytes"));
    }
    for (const std::string& layout : weight.layouts) {
      if (layout.empty()) return error("has a layout without a name");
    }
    // Each takes memory of its own.
    if (!std::ranges::is_sorted(weight.layouts, std::less_equal<>())) {
      return error("its layouts must be in ascending order, each once");
    }
    if (!std::ranges::is_sorted(weight.spaces, std::less_equal<>())) {
      return error("its spaces must be in ascending order, each once");
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyStates(const Program& program) {
  for (size_t i = 0; i < program.states.size(); ++i) {
    const State& state = program.states[i];
    if (state.id != static_cast<int64_t>(i)) {
      return Error(
          StrCat("state ", state.id, " is at position ", i, "; states must be numbered from 0"));
    }
    if (state.layer < 0 || state.kv_heads < 1 || state.head_dim < 1 || state.layout.empty()) {
      return Error(
          StrCat("state ", state.id, " must have a layer, heads, a head size and a layout"));
    }
  }
  return absl::OkStatus();
}

const Weight* FindWeight(const Program& program, const std::string& name) {
  auto weight =
      std::lower_bound(program.weights.begin(), program.weights.end(), name,
                       [](const Weight& a, const std::string& key) { return a.name < key; });
  return weight == program.weights.end() || weight->name != name ? nullptr : &*weight;
}

// The layouts and spaces in which nodes need each weight, by its position in the list.
struct WantedWeight {
  std::set<std::string_view> layouts;
  std::set<Device> spaces;
};
using WantedWeights = std::vector<WantedWeight>;

// A weight must be kept in every layout and space in which a node needs it.
absl::Status VerifyWeightInput(const Program& program, const Node& node, int input, Device space,
                               WantedWeights* wanted) {
  const std::string name = WeightKey(*node.input(input).node);
  const Weight& weight = *FindWeight(program, name);
  const std::vector<std::string>& layouts = node.placement()->kernel_record.weight_layouts;
  const bool has_layout = std::cmp_less(input, layouts.size());
  const std::string_view layout = has_layout ? std::string_view(layouts[input]) : "";
  WantedWeight& of = (*wanted)[&weight - program.weights.data()];
  of.layouts.insert(layout);
  of.spaces.insert(space);
  if (!has_layout || std::ranges::find(weight.layouts, layout) == weight.layouts.end()) {
    return Error(StrCat(DescribeNode(node), ": needs weight ", Quote(name), " in the layout ",
                        Quote(layout), ", which the Program does not list for it"));
  }
  if (std::ranges::find(weight.spaces, space) == weight.spaces.end()) {
    return Error(StrCat(DescribeNode(node), ": needs weight ", Quote(name), " on ", Name(space),
                        ", where the Program does not keep it"));
  }
  return absl::OkStatus();
}

// Checks that the weights a graph's nodes read, and the states they read and write, are where the
// nodes run. Weights and states are known to be in the lists.
absl::Status VerifySpaces(const Program& program, const Graph& graph, WantedWeights* wanted) {
  const std::vector<Node*> nodes = graph.nodes();
  for (const Segment& segment : graph.plan()->segments) {
    for (const Step& step : segment.steps) {
      if (step.node < 0) continue;
      const Node& node = *nodes[step.node];
      for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
        const Node& from = *MemoryOf(node.input(i)).node;
        if (node.input(i).node->op().traits.weight) {
          RETURN_IF_ERROR(VerifyWeightInput(program, node, i, segment.space(), wanted));
        }
        if (!from.op().traits.state) continue;
        const State& state = program.states[StateId(from)];
        if (state.home_space == segment.space()) continue;
        return Error(StrCat(DescribeNode(node), ": runs in the memory of ", Name(segment.space()),
                            ", but state ", state.id, " is in that of ", Name(state.home_space)));
      }
    }
  }
  return absl::OkStatus();
}

// A weight must not be kept in any other layout or space: it would be packed in a layout that does
// not suit it.
absl::Status VerifyNothingMore(const Program& program, const WantedWeights& wanted) {
  for (size_t i = 0; i < program.weights.size(); ++i) {
    const Weight& weight = program.weights[i];
    if (weight.layouts.size() == wanted[i].layouts.size() &&
        weight.spaces.size() == wanted[i].spaces.size()) {
      continue;
    }
    return Error(StrCat("weight ", Quote(weight.name), ": is kept in ", weight.layouts.size(),
                        " layouts and ", weight.spaces.size(), " spaces, needed in ",
                        wanted[i].layouts.size(), " and ", wanted[i].spaces.size()));
  }
  return absl::OkStatus();
}

// Ranks place their parts by their own number, so another number of them would reach beyond the
// result.
absl::Status VerifyCollective(const Program& program, const Node& node) {
  const std::span<const AttrSpec> specs = node.op().attrs;
  const auto spec = std::ranges::find(specs, "ranks", &AttrSpec::name);
  const auto ranks = std::get<int64_t>(node.attrs()[spec - specs.begin()]);
  if (ranks == program.policy.shard.ranks) return absl::OkStatus();
  return Error(StrCat(DescribeNode(node), ": is for ", ranks, " ranks, but the program is for ",
                      program.policy.shard.ranks));
}

absl::Status VerifyUses(const Program& program, const Graph& graph) {
  for (const Node* node : graph.nodes()) {
    if (node->op().traits.collective) RETURN_IF_ERROR(VerifyCollective(program, *node));
    const ValueType& type = node->result().type;
    if (node->op().traits.weight) {
      const std::string name = WeightKey(*node);
      const Weight* weight = FindWeight(program, name);
      if (weight == nullptr) {
        return Error(
            StrCat(DescribeNode(*node), ": weight ", Quote(name), " is not in the Program's list"));
      }
      ValueType listed = {TypeKind::kTensor, weight->type};
      if (listed != type) {
        return Error(StrCat(DescribeNode(*node), ": is ", ToString(type), ", but the weight is ",
                            ToString(listed)));
      }
    }
    if (node->op().traits.state) {
      int64_t id = StateId(*node);
      if (id >= static_cast<int64_t>(program.states.size())) {
        return Error(StrCat(DescribeNode(*node), ": the Program has no state ", id));
      }
      const State& state = program.states[id];
      ValueType listed = ValueType::Kv(state.dtype, state.kv_heads, state.head_dim);
      if (listed != type) {
        return Error(StrCat(DescribeNode(*node), ": is ", ToString(type), ", but state ", id,
                            " is ", ToString(listed)));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyRegime(const Program& program, const Regime& regime, WantedWeights* wanted) {
  if (regime.graph.stage() != Stage::kPlanned) {
    return Error(StrCat("its graph is ", Name(regime.graph.stage()), ", expected planned"));
  }
  SymbolRanges expected = RegimeSymbols(program.symbols, {regime.min_tokens, regime.max_tokens});
  for (Symbol symbol : kAllSymbols) {
    const Range& found = regime.graph.symbols()[symbol];
    if (found == expected[symbol]) continue;
    return Error(StrCat("the range of ", Name(symbol), " in its graph is ", found.min, "..",
                        found.max, ", expected ", expected[symbol].min, "..",
                        expected[symbol].max));
  }
  RETURN_IF_ERROR(VerifyPlacementNumbers(regime.graph));
  RETURN_IF_ERROR(Verify(regime.graph));
  RETURN_IF_ERROR(VerifyUses(program, regime.graph));
  return VerifySpaces(program, regime.graph, wanted);
}

absl::Status VerifyRegimes(const Program& program) {
  const Range& tokens = program.symbols[Symbol::kT];
  int64_t next = tokens.min;
  WantedWeights wanted(program.weights.size());
  for (const Regime& regime : program.regimes) {
    if (regime.min_tokens != next || regime.max_tokens < regime.min_tokens) {
      return Error(StrCat("the regime of ", regime.min_tokens, "..", regime.max_tokens,
                          " tokens must begin at ", next, " and not be empty"));
    }
    if (absl::Status status = VerifyRegime(program, regime, &wanted); !status.ok()) {
      return Error(StrCat("the regime of ", regime.min_tokens, "..", regime.max_tokens,
                          " tokens: ", ToStd(status.message())));
    }
    if (regime.max_tokens >= tokens.max) {
      next = regime.max_tokens;
      if (&regime != &program.regimes.back())
        return Error("there are regimes beyond the largest number of tokens");
      break;
    }
    next = regime.max_tokens + 1;
  }
  if (program.regimes.empty() || next != tokens.max ||
      program.regimes.back().max_tokens != tokens.max) {
    return Error(StrCat("the regimes do not cover ", tokens.min, "..", tokens.max, " tokens"));
  }
  return VerifyNothingMore(program, wanted);
}

absl::Status VerifyPasses(const Program& program) {
  for (const PassRecord& pass : program.passes) {
    if (pass.regime >= 0 && pass.regime <= static_cast<int64_t>(program.regimes.size())) continue;
    return Error(StrCat("the record of pass ", Quote(pass.name), " is for regime ", pass.regime,
                        " of ", program.regimes.size()));
  }
  return absl::OkStatus();
}

absl::Status VerifySymbols(const Program& program) {
  for (Symbol symbol : kAllSymbols) {
    const Range& range = program.symbols[symbol];
    if (range.min < 1 || range.max < range.min) {
      return Error(StrCat("the range of ", Name(symbol), " is ", range.min, "..", range.max,
                          ", expected 1 <= min <= max"));
    }
  }
  const int64_t entries = program.symbols[Symbol::kS].max;
  if (program.sequences >= 1 && program.sequences <= entries) return absl::OkStatus();
  return Error(StrCat("the Program is for ", program.sequences, " sequences, expected 1 to ",
                      entries, ", the entries of the cache"));
}

}  // namespace

absl::Status Verify(const Program& program) {
  if (program.schema_version < 1 || program.schema_version > kProgramSchemaVersion) {
    return Error(StrCat("the Program has schema version ", program.schema_version,
                        ", expected 1 to ", kProgramSchemaVersion));
  }
  RETURN_IF_ERROR(VerifyModel(program.model));
  RETURN_IF_ERROR(VerifyNames(program));
  RETURN_IF_ERROR(VerifyWeights(program));
  RETURN_IF_ERROR(VerifyStates(program));
  RETURN_IF_ERROR(VerifyPolicy(program.policy));
  RETURN_IF_ERROR(VerifyMachine(program.machine));
  RETURN_IF_ERROR(VerifySymbols(program));
  RETURN_IF_ERROR(VerifyRegimes(program));
  RETURN_IF_ERROR(VerifyKernelChoices(program));
  return VerifyPasses(program);
}

}  // namespace infer
