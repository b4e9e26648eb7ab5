// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/verify_names.h"

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "ir/base/control_chars.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/graph/node_name.h"
#include "ir/text/program_fields.h"

namespace infer {
namespace {

// Walks the same lists of fields as the printer, so that no printed text is missed.
class NameCheck {
 public:
  void Visit(std::string_view field, const std::string& text) {
    if (!status_.ok() || !HasControl(text)) return;
    status_ = absl::InvalidArgumentError(StrCat("the Program's ", field, " ", Quote(text),
                                                " has a control character, which is not allowed"));
  }
  template <class T>
  void Visit(std::string_view field, const std::vector<T>& list) {
    for (const T& element : list) Visit(field, element);
  }
  template <class T>
  void Visit(std::string_view field, const std::optional<T>& value) {
    if (value) Visit(field, *value);
  }
  template <IsRecord T>
  void Visit(std::string_view, const T& record) {
    if constexpr (!std::is_same_v<T, Machine>) {
      Record<T>::Fields(
          [&](std::string_view field, auto member, auto...) { Visit(field, record.*member); });
    }
  }
  // The policy has its own check.
  template <class T>
    requires(!IsRecord<T>)
  void Visit(std::string_view, const T&) {}

  void Visit(const Graph& graph) {
    Visit("graph", graph.name());
    for (const Node* node : graph.nodes()) {
      for (int i = 0; i < node->num_results(); ++i) {
        const NodeResult& result = node->result(i);
        Visit("value", result.name);
        Visit("origin", result.origin);
      }
      VisitScope("scope", node->scope());
      for (const std::string& scope : node->merged_scopes()) VisitScope("merged scope", scope);
      for (const Attr& attr : node->attrs()) {
        if (const auto* text = std::get_if<std::string>(&attr)) Visit("attribute", *text);
      }
      if (node->placement() != nullptr) Visit("placement", *node->placement());
    }
  }
  void VisitScope(std::string_view field, const std::string& scope) {
    Visit(field, scope);
    if (!status_.ok() || scope.find(kScopeSeparator) == scope.npos) return;
    status_ = absl::InvalidArgumentError(
        StrCat("the Program's ", field, " ", Quote(scope),
               " has a '+', which joins the names of a fused node's members"));
  }
  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

}  // namespace

absl::Status VerifyNames(const Program& program) {
  NameCheck check;
  check.Visit("header", program);
  for (const Regime& regime : program.regimes) check.Visit(regime.graph);
  return check.status();
}

}  // namespace infer
