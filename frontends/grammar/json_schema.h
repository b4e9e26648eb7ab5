// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/grammar/compile_budget.h"
#include "frontends/grammar/grammar.h"

namespace infer {

struct JsonSchemaOptions {
  JsonWhitespace whitespace = JsonWhitespace::kTidy;
};

// Compiles a JSON schema (draft 2020-12 or draft 7) to a grammar of the documents that it allows.
// Keys come in the order of `properties`, additional ones after them. A keyword that is not
// supported is an error with a JSON pointer; see README.md for what is. A budget counts what was
// taken; without one the schema has all of its own.
absl::StatusOr<std::shared_ptr<const Grammar>> CompileJsonSchema(
    std::string_view text, const JsonSchemaOptions& options = {}, CompileBudget* budget = nullptr);

// Adds the documents of a schema to a grammar and returns their node; FinishGrammar must follow.
// After an error the grammar cannot be used. All schemas of a grammar share one budget.
absl::StatusOr<GrammarNodeId> AddJsonSchema(std::string_view text, CompileBudget* budget,
                                            Grammar* grammar);

// Returns the grammar of all JSON values.
std::shared_ptr<const Grammar> AnyJson(const JsonSchemaOptions& options = {});

}  // namespace infer
