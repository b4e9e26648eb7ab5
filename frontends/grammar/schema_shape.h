// SPDX-License-Identifier: Apache-2.0
//
// What a conjunction of JSON schemas allows, sorted by type. Compiling a schema goes from schemas
// to shapes (schema_reader), and from shapes to grammar nodes (schema_compiler).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontends/grammar/number_dfa.h"
#include "frontends/grammar/regex.h"

namespace infer {

using SchemaJson = nlohmann::ordered_json;
// Schemas that must all hold. They point into the document.
using SchemaList = std::vector<const SchemaJson*>;

enum JsonType : uint8_t {
  kNullType = 1,
  kBooleanType = 2,
  kNumberType = 4,
  kStringType = 8,
  kArrayType = 16,
  kObjectType = 32,
  kAllTypes = 63,
};

struct SchemaShape {
  uint8_t types = kAllTypes;
  NumberBounds number;
  uint32_t min_length = 0, max_length = kNoLimit;
  std::vector<const SchemaJson*> patterns;  // strings
  std::vector<std::string> formats;
  uint32_t min_items = 0, max_items = kNoLimit;
  SchemaList arrays;  // schemas with keywords about items
  uint32_t min_properties = 0, max_properties = kNoLimit;
  const SchemaJson* min_properties_place = nullptr;
  std::vector<std::string> required;
  SchemaList objects;                             // schemas with keywords about properties
  std::optional<std::vector<SchemaJson>> values;  // of enum and const
};

// What must hold for item `index` of an array.
SchemaList ItemSchemas(const SchemaShape& shape, size_t index);
// The number of items that some schema names one by one.
size_t PrefixItems(const SchemaShape& shape);
// What must hold for the property `key`, and for keys that no schema names.
SchemaList PropertySchemas(const SchemaShape& shape, const std::string& key);
SchemaList AdditionalSchemas(const SchemaShape& shape);
// The keys that schemas name, in order, and then required ones that none names.
std::vector<std::string> NamedKeys(const SchemaShape& shape);

// JSON equality: 1 and 1.0 are equal, and the order of keys does not count.
bool SameValue(const SchemaJson& a, const SchemaJson& b);
// What comparing `value` with another takes, as SchemaReader counts work.
size_t ComparisonWork(const SchemaJson& value);

}  // namespace infer
