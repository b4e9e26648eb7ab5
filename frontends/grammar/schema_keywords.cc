// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/schema_keywords.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/grammar/formats.h"
#include "frontends/grammar/schema_reader.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr std::string_view kAnnotations[] = {
    "title",      "description", "default",   "examples",        "$schema",
    "$id",        "$comment",    "$defs",     "definitions",     "$anchor",
    "deprecated", "readOnly",    "writeOnly", "contentEncoding", "contentMediaType"};
// Of draft 7 and 2020-12, and not possible here; the others that are refused are unknown.
constexpr std::string_view kUnsupported[] = {"not",
                                             "if",
                                             "then",
                                             "else",
                                             "contains",
                                             "minContains",
                                             "maxContains",
                                             "dependencies",
                                             "dependentSchemas",
                                             "dependentRequired",
                                             "patternProperties",
                                             "propertyNames",
                                             "unevaluatedItems",
                                             "unevaluatedProperties",
                                             "$dynamicRef",
                                             "$dynamicAnchor",
                                             "$recursiveRef",
                                             "$recursiveAnchor",
                                             "$vocabulary",
                                             "contentSchema"};

struct Keyword {
  const SchemaDocument& document;
  const Json& value;

  absl::Status Error(std::string_view what) const { return document.Error(value, what); }

  absl::StatusOr<uint32_t> Count() const {
    const bool is_whole = value.is_number() && value.get<double>() >= 0 &&
                          value.get<double>() == std::floor(value.get<double>());
    if (!is_whole) return Error("expected a whole number of 0 or more");
    return static_cast<uint32_t>(std::min<double>(value.get<double>(), 2'000'000'000));
  }
  absl::Status AtLeast(uint32_t* min) const {
    ASSIGN_OR_RETURN(const uint32_t count, Count());
    *min = std::max(*min, count);
    return absl::OkStatus();
  }
  absl::Status AtMost(uint32_t* max) const {
    ASSIGN_OR_RETURN(const uint32_t count, Count());
    *max = std::min(*max, count);
    return absl::OkStatus();
  }
  absl::StatusOr<Decimal> Number() const {
    if (!value.is_number()) return Error("expected a number");
    absl::StatusOr<Decimal> decimal = Decimal::Parse(JsonText(value));
    if (!decimal.ok()) return Error(ToStd(decimal.status().message()));
    return decimal;
  }
};

absl::Status ApplyType(const Keyword& keyword, SchemaShape* shape) {
  static const std::pair<std::string_view, uint8_t> kTypes[] = {
      {"null", kNullType},      {"boolean", kBooleanType}, {"number", kNumberType},
      {"integer", kNumberType}, {"string", kStringType},   {"array", kArrayType},
      {"object", kObjectType}};
  uint8_t types = 0;
  bool has_number = false, has_integer = false;
  const auto add = [&](const Json& name) {
    const auto it = std::ranges::find_if(
        kTypes, [&](const auto& type) { return name.is_string() && name == type.first; });
    if (it == std::end(kTypes)) return false;
    types |= it->second;
    has_number |= it->first == "number";
    has_integer |= it->first == "integer";
    return true;
  };
  const Json& value = keyword.value;
  if (value.is_array() ? !std::ranges::all_of(value, add) : !add(value)) {
    return keyword.Error(
        "expected null, boolean, number, integer, string, array, object or a list of them");
  }
  shape->types &= types;
  shape->number.is_integer |= has_integer && !has_number;
  return absl::OkStatus();
}

absl::Status ApplyNumber(const Keyword& keyword, std::string_view name, SchemaShape* shape) {
  ASSIGN_OR_RETURN(const Decimal value, keyword.Number());
  NumberBounds& bounds = shape->number;
  if (name == "multipleOf") {
    if (value.is_negative || value.IsZero()) return keyword.Error("expected a number above 0");
    if (bounds.multiple_of && !(*bounds.multiple_of == value)) {
      return keyword.Error("a second multipleOf for the same value is not supported");
    }
    bounds.multiple_of = value;
    return absl::OkStatus();
  }
  const bool excludes = name.starts_with("exclusive");
  const bool is_min = name == "minimum" || name == "exclusiveMinimum";
  std::optional<Decimal>& bound = is_min ? bounds.min : bounds.max;
  bool& excluded = is_min ? bounds.excludes_min : bounds.excludes_max;
  const int order = bound ? Compare(value, *bound) : 0;
  const bool is_tighter = !bound || (is_min ? order > 0 : order < 0);
  if (is_tighter) {
    bound = value;
    excluded = excludes;
  } else if (order == 0) {
    excluded |= excludes;
  }
  return absl::OkStatus();
}

// Leaves the values that are in the list too.
void ApplyValues(std::vector<ShapeValue> list, SchemaShape* shape) {
  // The first of equal values stays. They lie in one list, at ascending addresses.
  std::ranges::sort(list, {}, [](const ShapeValue& v) { return std::pair(v.id, v.value); });
  const auto rest = std::ranges::unique(list, {}, &ShapeValue::id);
  list.erase(rest.begin(), rest.end());
  if (shape->values) {
    std::vector<ShapeValue> both;
    std::ranges::set_intersection(*shape->values, list, std::back_inserter(both), {},
                                  &ShapeValue::id, &ShapeValue::id);
    list = std::move(both);
  }
  shape->values = std::move(list);
}

absl::Status ApplyRequired(const Keyword& keyword, SchemaShape* shape) {
  if (!keyword.value.is_array()) return keyword.Error("expected a list of keys");
  if (keyword.value.size() > SchemaReader::kMaxProperties) {
    return keyword.Error(StrCat("more than ", SchemaReader::kMaxProperties, " keys"));
  }
  for (const Json& key : keyword.value) {
    if (!key.is_string()) return keyword.Error("expected a list of keys");
    shape->required.push_back(&key);
  }
  return absl::OkStatus();
}

absl::Status CheckSchemas(const Keyword& keyword, bool is_list) {
  const Json& value = keyword.value;
  const auto is_schema = [](const Json& s) { return s.is_object() || s.is_boolean(); };
  if (is_list && !value.is_array()) return keyword.Error("expected a list of schemas");
  if (!is_list && !value.is_object()) return keyword.Error("expected an object of schemas");
  if (value.size() > SchemaReader::kMaxProperties) {
    return keyword.Error(StrCat("more than ", SchemaReader::kMaxProperties, " schemas"));
  }
  for (const Json& schema : value) {
    if (!is_schema(schema)) return keyword.document.Error(schema, "expected a schema");
  }
  return absl::OkStatus();
}

// Remembers a schema whose keywords about items or properties are read later. Its keywords come one
// after the other.
void Remember(const Json& schema, SchemaList* list) {
  if (list->empty() || list->back() != &schema) list->push_back(&schema);
}

absl::Status ApplyStructure(const Keyword& keyword, const Json& schema, std::string_view name,
                            SchemaShape* shape) {
  const Json& value = keyword.value;
  const bool is_schema = value.is_object() || value.is_boolean();
  if (name == "properties") {
    Remember(schema, &shape->objects);
    return CheckSchemas(keyword, false);
  }
  if (name == "additionalProperties") {
    Remember(schema, &shape->objects);
    return is_schema ? absl::OkStatus() : keyword.Error("expected a schema");
  }
  Remember(schema, &shape->arrays);
  if (name == "prefixItems" || (name == "items" && value.is_array())) {
    return CheckSchemas(keyword, true);
  }
  return is_schema ? absl::OkStatus() : keyword.Error("expected a schema");
}

}  // namespace

absl::Status ApplyKeyword(const SchemaDocument& document, const Json& schema,
                          const std::string& keyword, const Json& value, SchemaValues* values,
                          SchemaShape* shape) {
  const Keyword k = {document, value};
  if (keyword == "type") return ApplyType(k, shape);
  if (keyword == "enum") {
    if (!value.is_array()) return k.Error("expected a list of values");
    std::vector<ShapeValue> list;
    for (const Json& v : value) list.push_back({values->IdOf(v), &v});
    ApplyValues(std::move(list), shape);
    return absl::OkStatus();
  }
  if (keyword == "const") {
    ApplyValues({{values->IdOf(value), &value}}, shape);
    return absl::OkStatus();
  }
  if (keyword == "minimum" || keyword == "maximum" || keyword == "exclusiveMinimum" ||
      keyword == "exclusiveMaximum" || keyword == "multipleOf") {
    return ApplyNumber(k, keyword, shape);
  }
  if (keyword == "minLength") return k.AtLeast(&shape->min_length);
  if (keyword == "maxLength") return k.AtMost(&shape->max_length);
  if (keyword == "minItems") return k.AtLeast(&shape->min_items);
  if (keyword == "maxItems") return k.AtMost(&shape->max_items);
  if (keyword == "minProperties") {
    shape->min_properties_place = &value;
    return k.AtLeast(&shape->min_properties);
  }
  if (keyword == "maxProperties") return k.AtMost(&shape->max_properties);
  if (keyword == "required") return ApplyRequired(k, shape);
  if (keyword == "pattern") {
    if (!value.is_string()) return k.Error("expected a string");
    shape->patterns.push_back(&value);
    return absl::OkStatus();
  }
  if (keyword == "format") {
    if (!value.is_string() || FormatDfa(value.get_ref<const std::string&>()) == nullptr) {
      return k.Error(StrCat("unknown format; known are ", KnownFormats()));
    }
    shape->formats.push_back(&value);
    return absl::OkStatus();
  }
  if (keyword == "properties" || keyword == "additionalProperties" || keyword == "items" ||
      keyword == "prefixItems" || keyword == "additionalItems") {
    return ApplyStructure(k, schema, keyword, shape);
  }
  if (keyword == "uniqueItems") {
    if (value == false) return absl::OkStatus();
    return k.Error("uniqueItems is not supported; leave it out and check the result");
  }
  if (std::ranges::find(kAnnotations, keyword) != std::end(kAnnotations)) return absl::OkStatus();
  if (keyword.starts_with("x-")) return absl::OkStatus();
  const bool is_known = std::ranges::find(kUnsupported, keyword) != std::end(kUnsupported);
  return k.Error(StrCat(is_known ? "unsupported keyword " : "unknown keyword ", keyword));
}

}  // namespace infer
