// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "ir/base/json.h"

namespace infer {

// Numbers the values of a schema, so that lists of them are compared without looking into them.
// Values are equal as JSON is: 1 and 1.0 are one value, and the order of keys does not count.
class SchemaValues {
 public:
  // Returns a number that equal values share. `value` must stay where it is; each part of it is
  // read once, however often it is asked for.
  uint32_t IdOf(const Json& value);

 private:
  absl::flat_hash_map<const Json*, uint32_t> ids_;
  absl::flat_hash_map<std::string, uint32_t> id_of_text_, id_of_key_;
};

}  // namespace infer
