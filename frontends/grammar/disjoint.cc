// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/disjoint.h"

#include "frontends/grammar/string_patterns.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"

namespace infer {
namespace {

constexpr int kMaxCompareDepth = 6;
constexpr size_t kPairSteps = 64;
constexpr size_t kKeySteps = 32;  // of a schema that may name a key

bool RangesApart(uint32_t min_a, uint32_t max_a, uint32_t min_b, uint32_t max_b) {
  return max_a < min_b || max_b < min_a;
}

// Whether `low` (a minimum) leaves nothing below `high` (a maximum).
bool Above(const NumberBounds& low, const NumberBounds& high) {
  if (!low.min || !high.max) return false;
  const int order = Compare(*low.min, *high.max);
  return order > 0 || (order == 0 && (low.excludes_min || high.excludes_max));
}

}  // namespace

absl::StatusOr<bool> DisjointShapes::Lists(const std::vector<SchemaShape>& a,
                                           const std::vector<SchemaShape>& b) {
  for (const SchemaShape& x : a) {
    for (const SchemaShape& y : b) {
      RETURN_IF_ERROR(reader_.TakeSteps(kPairSteps));
      ASSIGN_OR_RETURN(const bool disjoint, Pair(x, y));
      if (!disjoint) return false;
    }
  }
  return true;
}

absl::StatusOr<bool> DisjointShapes::Values(const std::vector<ShapeValue>& values,
                                            const SchemaShape& shape) {
  for (const ShapeValue& value : values) {
    ASSIGN_OR_RETURN(const bool accepted, reader_.Accepts(shape, *value.value));
    if (accepted) return false;
  }
  return true;
}

absl::StatusOr<bool> DisjointShapes::Pair(const SchemaShape& a, const SchemaShape& b) {
  const uint8_t types = a.types & b.types;
  if (types == 0) return true;
  if (a.values) return Values(*a.values, b);
  if (b.values) return Values(*b.values, a);
  if ((types & (kNullType | kBooleanType)) != 0) return false;
  if ((types & kNumberType) != 0 && !Above(a.number, b.number) && !Above(b.number, a.number)) {
    return false;
  }
  if ((types & kStringType) != 0 &&
      !RangesApart(a.min_length, a.max_length, b.min_length, b.max_length)) {
    ASSIGN_OR_RETURN(const bool apart, reader_.patterns().Apart(a, b));
    if (!apart) return false;
  }
  if ((types & kArrayType) != 0 &&
      !RangesApart(a.min_items, a.max_items, b.min_items, b.max_items)) {
    return false;
  }
  if ((types & kObjectType) == 0) return true;
  return Objects(a, b);
}

absl::StatusOr<bool> DisjointShapes::Objects(const SchemaShape& a, const SchemaShape& b) {
  if (RangesApart(a.min_properties, a.max_properties, b.min_properties, b.max_properties)) {
    return true;
  }
  ASSIGN_OR_RETURN(const bool by_a, Required(a, b));
  return by_a ? true : Required(b, a);
}

// Whether a property that `a` requires has no value that both allow.
absl::StatusOr<bool> DisjointShapes::Required(const SchemaShape& a, const SchemaShape& b) {
  if (depth_ >= kMaxCompareDepth) return false;
  ++depth_;
  bool found = false;
  for (const Json* place : a.required) {
    const std::string& key = place->get_ref<const std::string&>();
    RETURN_IF_ERROR(reader_.TakeSteps(kKeySteps * (1 + a.objects.size() + b.objects.size())));
    ASSIGN_OR_RETURN(const std::vector<SchemaShape> x, reader_.Read(PropertySchemas(a, key)));
    ASSIGN_OR_RETURN(const std::vector<SchemaShape> y, reader_.Read(PropertySchemas(b, key)));
    ASSIGN_OR_RETURN(found, Lists(x, y));
    if (found) break;
  }
  --depth_;
  return found;
}

}  // namespace infer
