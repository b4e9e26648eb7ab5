// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/schema_shape.h"

#include <algorithm>

namespace infer {
namespace {

// The schemas of the first items, one by one: prefixItems, or items as a list (draft 7).
const SchemaJson* PrefixOf(const SchemaJson& schema) {
  if (auto it = schema.find("prefixItems"); it != schema.end()) return &*it;
  if (auto it = schema.find("items"); it != schema.end() && it->is_array()) return &*it;
  return nullptr;
}

const SchemaJson* RestOf(const SchemaJson& schema) {
  auto items = schema.find("items");
  if (items != schema.end() && !items->is_array()) return &*items;
  if (items == schema.end()) return nullptr;
  auto additional = schema.find("additionalItems");
  return additional == schema.end() ? nullptr : &*additional;
}

}  // namespace

SchemaList ItemSchemas(const SchemaShape& shape, size_t index) {
  SchemaList list;
  for (const SchemaJson* schema : shape.arrays) {
    const SchemaJson* prefix = PrefixOf(*schema);
    if (prefix != nullptr && index < prefix->size()) {
      list.push_back(&(*prefix)[index]);
    } else if (const SchemaJson* rest = RestOf(*schema)) {
      list.push_back(rest);
    }
  }
  return list;
}

size_t PrefixItems(const SchemaShape& shape) {
  size_t most = 0;
  for (const SchemaJson* schema : shape.arrays) {
    if (const SchemaJson* prefix = PrefixOf(*schema)) most = std::max(most, prefix->size());
  }
  return most;
}

SchemaList PropertySchemas(const SchemaShape& shape, const std::string& key) {
  SchemaList list;
  for (const SchemaJson* schema : shape.objects) {
    auto properties = schema->find("properties");
    if (properties != schema->end() && properties->contains(key)) {
      list.push_back(&(*properties)[key]);
    } else if (auto additional = schema->find("additionalProperties");
               additional != schema->end()) {
      list.push_back(&*additional);
    }
  }
  return list;
}

SchemaList AdditionalSchemas(const SchemaShape& shape) {
  SchemaList list;
  for (const SchemaJson* schema : shape.objects) {
    auto additional = schema->find("additionalProperties");
    if (additional != schema->end()) list.push_back(&*additional);
  }
  return list;
}

std::vector<std::string> NamedKeys(const SchemaShape& shape) {
  std::vector<std::string> keys;
  const auto add = [&](const std::string& key) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  };
  for (const SchemaJson* schema : shape.objects) {
    auto properties = schema->find("properties");
    if (properties == schema->end()) continue;
    for (const auto& [key, value] : properties->items()) add(key);
  }
  for (const std::string& key : shape.required) add(key);
  return keys;
}

bool SameValue(const SchemaJson& a, const SchemaJson& b) {
  if (!a.is_structured() || !b.is_structured()) return a == b;
  if (a.type() != b.type() || a.size() != b.size()) return false;
  return nlohmann::json(a) == nlohmann::json(b);
}

size_t ComparisonWork(const SchemaJson& value) { return value.is_structured() ? 256 : 8; }

}  // namespace infer
