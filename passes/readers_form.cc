// SPDX-License-Identifier: Apache-2.0
#include "passes/readers_form.h"

#include <algorithm>
#include <string_view>

#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "ir/graph/target.h"

namespace infer {

const MessageForm* FormOfReaders(const Graph& graph, Value value, std::string* why) {
  const MessageForm* common = nullptr;
  if (std::ranges::find(graph.results(), value) != graph.results().end()) {
    *why = "it is a result of the graph";
    return nullptr;
  }
  for (const Use& use : graph.uses(value)) {
    const Node& reader = *use.user;
    const std::string_view op = reader.op().name;
    if (use.input != reader.op().traits.product_input) {
      *why = StrCat(op, " reads it as f32");
      return nullptr;
    }
    if (DeviceOf(reader.placement()->target) != Device::kCpu) {
      *why = StrCat(op, " runs on ", Name(reader.placement()->target));
      return nullptr;
    }
    // The class names the level and then the rounding of all weights: "amx bf16".
    const std::string_view numerics = reader.placement()->kernel_record.numerics;
    const size_t space = numerics.rfind(' ');
    const MessageForm* form =
        space == std::string_view::npos ? nullptr : FindMessageForm(numerics.substr(space + 1));
    if (form == nullptr || form->name.empty()) {
      *why = StrCat(op, " has numerics '", numerics, "', which no message has");
      return nullptr;
    }
    if (common != nullptr && common != form) {
      *why = StrCat("readers round it to ", common->name, " and to ", form->name);
      return nullptr;
    }
    common = form;
  }
  if (common == nullptr) *why = "nothing reads it";
  return common;
}

}  // namespace infer
