// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/schema_shape.h"

#include <algorithm>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ir/base/json.h"

namespace infer {
namespace {

const Json* Member(const Json& schema, std::string_view key) {
  const auto it = schema.find(key);
  return it == schema.end() ? nullptr : &*it;
}

// The schemas of the first items, one by one: prefixItems, or items as a list (draft 7).
const Json* PrefixOf(const Json& schema) {
  if (const Json* prefix = Member(schema, "prefixItems")) return prefix;
  const Json* items = Member(schema, "items");
  return items != nullptr && items->is_array() ? items : nullptr;
}

const Json* RestOf(const Json& schema) {
  const Json* items = Member(schema, "items");
  if (items == nullptr || !items->is_array()) return items;
  return Member(schema, "additionalItems");
}

const std::string& KeyOf(const Json& place) { return place.get_ref<const std::string&>(); }

}  // namespace

ArrayItems::ArrayItems(const SchemaShape& shape) {
  for (const Json* schema : shape.arrays) {
    parts_.push_back({PrefixOf(*schema), RestOf(*schema)});
    if (parts_.back().prefix != nullptr) prefix_ = std::max(prefix_, parts_.back().prefix->size());
  }
}

SchemaList ArrayItems::SchemasOf(size_t index) const {
  SchemaList list;
  for (const Part& part : parts_) {
    if (part.prefix != nullptr && index < part.prefix->size()) {
      list.push_back(&(*part.prefix)[index]);
    } else if (part.rest != nullptr) {
      list.push_back(part.rest);
    }
  }
  return list;
}

size_t NamedKeys(const SchemaShape& shape) {
  size_t count = shape.required.size();
  for (const Json* schema : shape.objects) {
    const Json* properties = Member(*schema, "properties");
    if (properties != nullptr) count += properties->size();
  }
  return count;
}

std::vector<NamedProperty> NamedProperties(const SchemaShape& shape) {
  std::vector<NamedProperty> named;
  absl::flat_hash_map<std::string_view, size_t> places;
  const auto place_of = [&](const std::string& key) {
    const auto [it, added] = places.try_emplace(key, named.size());
    if (added) named.push_back({key});
    return it->second;
  };
  for (const Json* schema : shape.objects) {
    const Json* properties = Member(*schema, "properties");
    if (properties == nullptr) continue;
    for (const auto& [key, value] : properties->items()) place_of(key);
  }
  for (const Json* key : shape.required) named[place_of(KeyOf(*key))].is_required = true;
  return named;
}

void FillSchemas(const SchemaShape& shape, std::vector<NamedProperty>* properties) {
  absl::flat_hash_map<std::string_view, NamedProperty*> by_key;
  for (NamedProperty& property : *properties) by_key.emplace(property.key, &property);
  for (const Json* schema : shape.objects) {
    const Json* own = Member(*schema, "properties");
    if (own != nullptr) {
      for (const auto& [key, value] : own->items()) by_key.at(key)->schemas.push_back(&value);
    }
    const Json* additional = Member(*schema, "additionalProperties");
    if (additional == nullptr) continue;
    for (NamedProperty& property : *properties) {
      if (own == nullptr || Member(*own, property.key) == nullptr)
        property.schemas.push_back(additional);
    }
  }
}

SchemaList PropertySchemas(const SchemaShape& shape, const std::string& key) {
  SchemaList list;
  for (const Json* schema : shape.objects) {
    const Json* properties = Member(*schema, "properties");
    const Json* own = properties == nullptr ? nullptr : Member(*properties, key);
    const Json* found = own != nullptr ? own : Member(*schema, "additionalProperties");
    if (found != nullptr) list.push_back(found);
  }
  return list;
}

SchemaList AdditionalSchemas(const SchemaShape& shape) {
  SchemaList list;
  for (const Json* schema : shape.objects) {
    if (const Json* rest = Member(*schema, "additionalProperties")) list.push_back(rest);
  }
  return list;
}

}  // namespace infer
