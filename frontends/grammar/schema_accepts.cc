// SPDX-License-Identifier: Apache-2.0
//
// Whether a value of enum or const satisfies the other keywords beside it.
#include <algorithm>
#include <optional>

#include "frontends/grammar/number_reader.h"
#include "frontends/grammar/schema_reader.h"
#include "frontends/grammar/string_patterns.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"

namespace infer {
namespace {

constexpr int kMaxAcceptDepth = 64;
constexpr size_t kAcceptSteps = 128;
// Of an item, a key or a schema that may say something about it.
constexpr size_t kAcceptPartSteps = 32;

uint8_t TypeOf(const Json& value) {
  if (value.is_null()) return kNullType;
  if (value.is_boolean()) return kBooleanType;
  if (value.is_number()) return kNumberType;
  if (value.is_string()) return kStringType;
  return value.is_array() ? kArrayType : kObjectType;
}

absl::StatusOr<bool> AcceptsNumber(const NumberBounds& bounds, const Json& value) {
  ASSIGN_OR_RETURN(const Decimal number, Decimal::Parse(JsonText(value)));
  if (bounds.is_integer && !number.fraction.empty()) return false;
  if (bounds.min) {
    const int order = Compare(number, *bounds.min);
    if (order < 0 || (order == 0 && bounds.excludes_min)) return false;
  }
  if (bounds.max) {
    const int order = Compare(number, *bounds.max);
    if (order > 0 || (order == 0 && bounds.excludes_max)) return false;
  }
  if (!bounds.multiple_of) return true;
  // Read as a number in a text would be, without an exponent. An automaton for each value of an
  // enum would take seconds.
  NumberBounds only;
  only.multiple_of = bounds.multiple_of;
  ASSIGN_OR_RETURN(const NumberReader reader, NumberReader::Create(only));
  std::string text = number.integer;
  if (!number.fraction.empty()) text += "." + number.fraction;
  NumberRead read;
  for (const char c : text) {
    const std::optional<NumberRead> next = reader.Next(read, c);
    if (!next) return false;
    read = *next;
  }
  return reader.Accepts(read);
}

bool AcceptsText(const StringBounds& bounds, std::string_view text) {
  if (bounds.dfa != nullptr && bounds.dfa->empty()) return false;
  uint32_t count = 0;
  uint32_t state = 0;
  for (size_t at = 0; at < text.size(); ++count) {
    const DecodedCodePoint decoded = DecodeValidUtf8(text, at);
    at += decoded.bytes;
    if (bounds.dfa == nullptr) continue;
    state = bounds.dfa->Next(state, decoded.value);
    if (state == PatternDfa::kDead) return false;
  }
  if (count < bounds.min || count > bounds.max) return false;
  return bounds.dfa == nullptr || bounds.dfa->accepts(state);
}

}  // namespace

absl::StatusOr<bool> SchemaReader::AcceptsAll(const SchemaList& schemas, const Json& value) {
  if (accept_depth_ >= kMaxAcceptDepth) {
    return document_.Error(document_.root(), "a value of enum or const is nested too deeply");
  }
  ++accept_depth_;
  ASSIGN_OR_RETURN(const std::vector<SchemaShape> shapes, Read(schemas));
  bool accepted = false;
  for (const SchemaShape& shape : shapes) {
    ASSIGN_OR_RETURN(accepted, Accepts(shape, value));
    if (accepted) break;
  }
  --accept_depth_;
  return accepted;
}

absl::StatusOr<bool> SchemaReader::Accepts(const SchemaShape& shape, const Json& value) {
  RETURN_IF_ERROR(TakeSteps(kAcceptSteps));
  if ((shape.types & TypeOf(value)) == 0) return false;
  if (shape.values) {
    const uint32_t id = values_.IdOf(value);
    if (!std::ranges::binary_search(*shape.values, id, {}, &ShapeValue::id)) return false;
  }
  if (value.is_number()) return AcceptsNumber(shape.number, value);
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    RETURN_IF_ERROR(TakeSteps(text.size()));
    ASSIGN_OR_RETURN(const StringBounds bounds, patterns_.BoundsOf(shape));
    return AcceptsText(bounds, text);
  }
  if (value.is_array()) {
    if (value.size() < shape.min_items || value.size() > shape.max_items) return false;
    const ArrayItems items(shape);
    RETURN_IF_ERROR(TakeSteps(kAcceptPartSteps * (value.size() + 1) * (shape.arrays.size() + 1)));
    for (size_t i = 0; i < value.size(); ++i) {
      ASSIGN_OR_RETURN(const bool accepted, AcceptsAll(items.SchemasOf(i), value[i]));
      if (!accepted) return false;
    }
    return true;
  }
  if (!value.is_object()) return true;
  if (value.size() < shape.min_properties || value.size() > shape.max_properties) return false;
  RETURN_IF_ERROR(TakeSteps(kAcceptPartSteps *
                            (shape.required.size() + value.size() * (shape.objects.size() + 1))));
  for (const Json* key : shape.required) {
    if (!value.contains(key->get_ref<const std::string&>())) return false;
  }
  for (const auto& [key, property] : value.items()) {
    ASSIGN_OR_RETURN(const bool accepted, AcceptsAll(PropertySchemas(shape, key), property));
    if (!accepted) return false;
  }
  return true;
}

}  // namespace infer
