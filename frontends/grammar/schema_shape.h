// SPDX-License-Identifier: Apache-2.0
//
// What a conjunction of JSON schemas allows, sorted by type. Compiling a schema goes from schemas
// to shapes (schema_reader), and from shapes to grammar nodes (json_schema).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/grammar/number_dfa.h"
#include "frontends/grammar/regex.h"
#include "ir/base/json.h"

namespace infer {

// Places in a schema, such as schemas that must all hold.
using SchemaList = std::vector<const Json*>;

enum JsonType : uint8_t {
  kNullType = 1,
  kBooleanType = 2,
  kNumberType = 4,
  kStringType = 8,
  kArrayType = 16,
  kObjectType = 32,
  kAllTypes = 63,
};

// A value of enum or const, and its number (SchemaValues).
struct ShapeValue {
  uint32_t id;
  const Json* value;
};

// Lists point into the document: shapes are copied for each branch of anyOf.
struct SchemaShape {
  uint8_t types = kAllTypes;
  NumberBounds number;
  uint32_t min_length = 0, max_length = kNoLimit;
  SchemaList patterns, formats;  // strings
  uint32_t min_items = 0, max_items = kNoLimit;
  SchemaList arrays;  // schemas with keywords about items
  uint32_t min_properties = 0, max_properties = kNoLimit;
  const Json* min_properties_place = nullptr;
  SchemaList required;                            // keys; some may be equal
  SchemaList objects;                             // schemas with keywords about properties
  std::optional<std::vector<ShapeValue>> values;  // of enum and const; numbers ascend

  // The length of all lists together.
  size_t ListedItems() const {
    return patterns.size() + formats.size() + arrays.size() + required.size() + objects.size() +
           (values ? values->size() : 0);
  }
};

// What schemas say about the items of an array.
class ArrayItems {
 public:
  explicit ArrayItems(const SchemaShape& shape);

  // The number of items that some schema names one by one.
  size_t prefix() const { return prefix_; }
  // What must hold for item `index`.
  SchemaList SchemasOf(size_t index) const;

 private:
  struct Part {
    const Json* prefix;  // null: none
    const Json* rest;    // null: anything
  };
  std::vector<Part> parts_;
  size_t prefix_ = 0;
};

// A key that schemas name, and what must hold for its value.
struct NamedProperty {
  std::string_view key;  // in the document
  SchemaList schemas = {};
  bool is_required = false;
};
// How often schemas name a key.
size_t NamedKeys(const SchemaShape& shape);
// The keys that schemas name, in order, and then required ones that none names; without `schemas`.
std::vector<NamedProperty> NamedProperties(const SchemaShape& shape);
// Adds `schemas`. Takes time with NamedKeys and, for each property, AdditionalSchemas.
void FillSchemas(const SchemaShape& shape, std::vector<NamedProperty>* properties);

// What must hold for the property `key`, and for keys that no schema names.
SchemaList PropertySchemas(const SchemaShape& shape, const std::string& key);
SchemaList AdditionalSchemas(const SchemaShape& shape);

}  // namespace infer
