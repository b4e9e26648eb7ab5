// SPDX-License-Identifier: Apache-2.0
#include "tools/tokenize/accepts.h"

#include <memory>
#include <optional>

#include "frontends/grammar/check_text.h"
#include "frontends/grammar/gbnf.h"
#include "frontends/grammar/json_schema.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/error_kind.h"
#include "tools/api/input.h"

namespace infer {
namespace {

constexpr size_t kMaxGrammarBytes = size_t{1} << 20;
constexpr size_t kMaxDocumentBytes = size_t{256} << 20;

absl::StatusOr<std::shared_ptr<const Grammar>> Compile(const AcceptsOptions& options) {
  if (!options.grammar.empty()) {
    ASSIGN_OR_RETURN(const std::string text, ReadInput(options.grammar, kMaxGrammarBytes));
    return CompileGbnf(text);
  }
  ASSIGN_OR_RETURN(const std::string text, ReadInput(options.json_schema, kMaxGrammarBytes));
  return CompileJsonSchema(text, {.whitespace = JsonWhitespace::kFree});
}

}  // namespace

absl::Status CheckAccepts(const AcceptsOptions& options) {
  if (!options.IsAsked()) return absl::OkStatus();
  if (options.json_schema.empty() == options.grammar.empty()) {
    return UsageError("--accepts needs one of --json-schema and --grammar");
  }
  if (options.document.empty()) {
    return UsageError("--json-schema and --grammar need a document: --accepts FILE");
  }
  const std::string& rules = options.grammar.empty() ? options.json_schema : options.grammar;
  if (rules == "-" && options.document == "-") {
    return UsageError("only one of the schema and the document can come from stdin");
  }
  return absl::OkStatus();
}

absl::Status RunAccepts(const AcceptsOptions& options) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const Grammar> grammar, Compile(options));
  ASSIGN_OR_RETURN(const std::string document, ReadInput(options.document, kMaxDocumentBytes));
  const std::optional<TextRefusal> refusal = CheckText(grammar, document);
  if (!refusal) return absl::OkStatus();
  return VerificationFailed(StrCat(options.document, ", byte ", refusal->byte, " (line ",
                                   refusal->line, ", column ", refusal->column, "): found ",
                                   refusal->found, ", expected ", refusal->expected));
}

}  // namespace infer
