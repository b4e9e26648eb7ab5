// SPDX-License-Identifier: Apache-2.0
#include "tests/frontends/grammar/schema_cases.h"

#include <gtest/gtest.h>

#include <fstream>

#include "frontends/grammar/json_schema.h"
#include "ir/base/json.h"

namespace infer::test {

const Json& SchemaCases() {
  static const auto* cases =
      new Json(Json::parse(std::ifstream(INFER_TEST_DATA "/grammar/schema_cases.json")));
  return *cases;
}

std::shared_ptr<const Grammar> Compiled(const Json& schema, JsonWhitespace whitespace) {
  auto grammar = CompileJsonSchema(schema.dump(), {.whitespace = whitespace});
  EXPECT_TRUE(grammar.ok()) << grammar.status() << "\n" << schema;
  return grammar.ok() ? *grammar : AnyJson();
}

}  // namespace infer::test
