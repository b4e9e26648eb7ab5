// SPDX-License-Identifier: Apache-2.0
#include "tests/frontends/grammar/schema_cases.h"

#include <gtest/gtest.h>

#include <fstream>

#include "frontends/grammar/json_schema.h"

namespace infer::test {

const nlohmann::ordered_json& SchemaCases() {
  static const auto* cases = new nlohmann::ordered_json(
      nlohmann::ordered_json::parse(std::ifstream(INFER_TEST_DATA "/grammar/schema_cases.json")));
  return *cases;
}

std::shared_ptr<const Grammar> Compiled(const nlohmann::ordered_json& schema,
                                        JsonWhitespace whitespace) {
  auto grammar = CompileJsonSchema(schema.dump(), {.whitespace = whitespace});
  EXPECT_TRUE(grammar.ok()) << grammar.status() << "\n" << schema;
  return grammar.ok() ? *grammar : AnyJson();
}

}  // namespace infer::test
