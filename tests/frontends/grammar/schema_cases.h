// SPDX-License-Identifier: Apache-2.0
//
// Random schemas with documents that are valid or not (make_schema_cases.py).
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "frontends/grammar/grammar.h"

namespace infer::test {

// A list of {"schema", "valid", "invalid"}.
const nlohmann::ordered_json& SchemaCases();

// A schema that does not compile fails the test.
std::shared_ptr<const Grammar> Compiled(const nlohmann::ordered_json& schema,
                                        JsonWhitespace whitespace);

}  // namespace infer::test
