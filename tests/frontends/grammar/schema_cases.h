// SPDX-License-Identifier: Apache-2.0
//
// Random schemas with documents that are valid or not (make_schema_cases.py).
#pragma once

#include <memory>

#include "frontends/grammar/grammar.h"
#include "ir/base/json.h"

namespace infer::test {

// A list of {"schema", "valid", "invalid"}.
const Json& SchemaCases();

// A schema that does not compile fails the test.
std::shared_ptr<const Grammar> Compiled(const Json& schema, JsonWhitespace whitespace);

}  // namespace infer::test
