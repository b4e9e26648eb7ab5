// SPDX-License-Identifier: Apache-2.0
#include "passes/state_homes.h"

#include <algorithm>
#include <optional>

#include "ir/base/strings.h"
#include "ir/graph/barriers.h"
#include "ir/ops/attributes.h"
#include "passes/choose_target.h"
#include "passes/cut_regimes.h"

namespace infer {
namespace {

// Returns the state that an input of the node is a version of.
std::optional<int64_t> StateOf(const Node& node) {
  for (Value input : node.inputs()) {
    if (input.type().kind != TypeKind::kKv) continue;
    const Node& state = *MemoryOf(input).node;
    if (state.op().traits.state) return StateId(state);
  }
  return std::nullopt;
}

bool AllShareOneMemory(const KernelCatalog& catalog) {
  return std::ranges::all_of(kTargets, [&](const TargetRecord& record) {
    return !catalog.WhyUnavailable(record.target).empty() ||
           catalog.SpaceOf(record.device) == Device::kCpu;
  });
}

}  // namespace

StateHomes ChooseHomes(const Graph& graph, const Policy& policy, const KernelCatalog& catalog) {
  StateHomes homes;
  if (AllShareOneMemory(catalog)) return homes;
  absl::StatusOr<std::vector<Range>> regimes = CutRegimes(graph, policy, catalog);
  if (!regimes.ok()) return homes;  // the compiler reports the reason when it cuts them itself
  for (const Range& tokens : *regimes) {
    SymbolRanges symbols = graph.symbols();
    symbols[Symbol::kT] = tokens;
    for (const Node* node : graph.nodes()) {
      const std::optional<int64_t> state = IsExecuted(*node) ? StateOf(*node) : std::nullopt;
      if (!state) continue;
      absl::StatusOr<TargetChoice> choice =
          ChooseTarget(*node, symbols, policy, catalog, InParts::kIfNotWhole);
      const Device space = choice.ok() ? catalog.SpaceOf(DeviceOf(choice->target)) : Device::kCpu;
      Device& home = homes.try_emplace(*state, space).first->second;
      if (home != space) home = Device::kCpu;
    }
  }
  return homes;
}

std::optional<Device> HomedCatalog::HomeOf(const Node& node) const {
  const std::optional<int64_t> state = StateOf(node);
  if (!state) return std::nullopt;
  auto found = homes_.find(*state);
  return found == homes_.end() ? Device::kCpu : found->second;
}

std::string_view HomedCatalog::KindOf(const Node& node) const {
  const std::optional<Device> home = HomeOf(node);
  return home ? Name(*home) : std::string_view();
}

std::string HomedCatalog::WhyNot(const Node& node, Target target) const {
  const std::optional<Device> home = HomeOf(node);
  const Device space = catalog_.SpaceOf(DeviceOf(target));
  if (!home || *home == space) return {};
  return StrCat("state ", *StateOf(node), " is in the memory of ", Name(*home), ", but ",
                Name(target), " works in that of ", Name(space));
}

KernelAnswer HomedCatalog::Find(const Node& node, Target target,
                                const SymbolRanges& symbols) const {
  KernelAnswer answer = catalog_.Find(node, target, symbols);
  if (!answer.kernel) return answer;
  if (std::string why = WhyNot(node, target); !why.empty()) return {std::nullopt, why};
  return answer;
}

std::vector<KernelFacts> HomedCatalog::FindAll(const Node& node, Target target,
                                               const SymbolRanges& symbols) const {
  if (!WhyNot(node, target).empty()) return {};
  return catalog_.FindAll(node, target, symbols);
}

std::vector<RowLimits> HomedCatalog::LimitsOf(const Node& node, Target target) const {
  if (!WhyNot(node, target).empty()) return {};
  return catalog_.LimitsOf(node, target);
}

}  // namespace infer
