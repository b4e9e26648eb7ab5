// SPDX-License-Identifier: Apache-2.0
#include "passes/place_node.h"

#include <utility>

#include "ir/base/status_macros.h"
#include "passes/choose_target.h"
#include "passes/placement_record.h"

namespace infer {

absl::StatusOr<Placement> PlaceNode(const Node& node, const SymbolRanges& symbols,
                                    const PassContext& context) {
  ASSIGN_OR_RETURN(TargetChoice choice,
                   ChooseTarget(node, symbols, *context.policy, *context.catalog, InParts::kNever,
                                context.fallback));
  return CompletePlacement(
      MakePlacement(choice.target, choice.by, SourceOf(*choice.by.rule), std::move(choice.refused)),
      node, *choice.kernel);
}

}  // namespace infer
