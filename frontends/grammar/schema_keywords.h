// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "frontends/grammar/schema_document.h"
#include "frontends/grammar/schema_shape.h"
#include "frontends/grammar/schema_values.h"
#include "ir/base/json.h"

namespace infer {

// Narrows `shape` by a keyword that describes values themselves, not by way of other schemas.
// Returns an error if the keyword is not known, not supported or has an unusable value.
absl::Status ApplyKeyword(const SchemaDocument& document, const Json& schema,
                          const std::string& keyword, const Json& value, SchemaValues* values,
                          SchemaShape* shape);

}  // namespace infer
