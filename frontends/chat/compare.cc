// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "absl/status/status.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

int Sign(bool less, bool greater) { return less ? -1 : greater ? 1 : 0; }

int CompareNumbers(const Number& a, const Number& b) {
  if (a.is_integer && b.is_integer) return Sign(a.integer<b.integer, a.integer> b.integer);
  return Sign(a.real<b.real, a.real> b.real);
}

bool NumbersEqual(const Number& a, const Number& b) {
  if (std::isnan(a.real) || std::isnan(b.real)) return false;
  return CompareNumbers(a, b) == 0;
}

bool IsSequence(const List* list) {
  return list->kind == ListKind::kList || list->kind == ListKind::kTuple ||
         list->kind == ListKind::kRange;
}

bool DeepEqual(const Value& a, const Value& b, Budget& budget, int depth);

bool DictsEqual(const Dict& a, Dict& b, Budget& budget, int depth) {
  if (a.entries.size() != b.entries.size()) return false;
  for (const Dict::Entry& entry : a.entries) {
    const Dict::Entry* other = FindEntry(b, entry.key);
    if (other == nullptr || !DeepEqual(entry.value, other->value, budget, depth + 1)) return false;
  }
  return true;
}

bool ListsEqual(const List& a, const List& b, Budget& budget, int depth) {
  if (a.kind != b.kind || !IsSequence(&a) || a.items.size() != b.items.size()) return false;
  for (size_t i = 0; i < a.items.size(); ++i) {
    if (!DeepEqual(a.items[i], b.items[i], budget, depth + 1)) return false;
  }
  return true;
}

bool DeepEqual(const Value& a, const Value& b, Budget& budget, int depth) {
  budget.Spend(1);
  if (depth > kMaxDepth || !budget.ok()) return false;
  if (const MarkedText* text = AsText(a)) {
    const MarkedText* other = AsText(b);
    return other != nullptr && text->text() == other->text();
  }
  const List* list = AsList(a);
  const List* other_list = AsList(b);
  if (list != nullptr && other_list != nullptr) {
    return list == other_list || ListsEqual(*list, *other_list, budget, depth);
  }
  const Dict* dict = AsDict(a);
  Dict* other_dict = AsDict(b);
  if (dict != nullptr && other_dict != nullptr) {
    return dict == other_dict || DictsEqual(*dict, *other_dict, budget, depth);
  }
  return KeysEqual(a, b);
}

absl::StatusOr<int> CompareLists(const List& a, const List& b, Budget& budget) {
  for (size_t i = 0; i < std::min(a.items.size(), b.items.size()); ++i) {
    if (Equal(a.items[i], b.items[i], budget)) continue;
    if (AsList(a.items[i]) != nullptr || AsList(b.items[i]) != nullptr) {
      return absl::InvalidArgumentError("lists of lists have no order; compare their items");
    }
    return Compare(a.items[i], b.items[i], budget);
  }
  return Sign(a.items.size() < b.items.size(), a.items.size() > b.items.size());
}

}  // namespace

bool IsTrue(const Value& value) {
  struct Truth {
    bool operator()(const Undefined&) const { return false; }
    bool operator()(None) const { return false; }
    bool operator()(bool held) const { return held; }
    bool operator()(int64_t number) const { return number != 0; }
    bool operator()(double number) const { return number != 0; }
    bool operator()(const BigInteger&) const { return true; }
    bool operator()(const String& text) const { return !text->empty(); }
    bool operator()(const List* list) const {
      return list->kind == ListKind::kGenerator || !list->items.empty();
    }
    bool operator()(const Dict* dict) const { return !dict->entries.empty(); }
    bool operator()(const Namespace*) const { return true; }
    bool operator()(const Loop*) const { return true; }
    bool operator()(const Function*) const { return true; }
    bool operator()(const Macro*) const { return true; }
  };
  return std::visit(Truth(), value);
}

std::optional<Number> AsNumber(const Value& value) {
  if (const int64_t* number = As<int64_t>(value)) {
    return Number{true, *number, static_cast<double>(*number)};
  }
  if (const double* number = As<double>(value)) return Number{false, 0, *number};
  if (const bool* truth = As<bool>(value)) return Number{true, *truth, *truth ? 1.0 : 0.0};
  return std::nullopt;
}

std::optional<Number> AsRoundedNumber(const Value& value) {
  const BigInteger* big = As<BigInteger>(value);
  if (big == nullptr) return AsNumber(value);
  return Number{false, 0, std::strtod(big->digits->text().c_str(), nullptr)};
}

bool KeysEqual(const Value& a, const Value& b) {
  const BigInteger* big = As<BigInteger>(a);
  const BigInteger* other_big = As<BigInteger>(b);
  if (big && other_big) return big->digits->text() == other_big->digits->text();
  const std::optional<Number> x = AsRoundedNumber(a);
  const std::optional<Number> y = AsRoundedNumber(b);
  if (x || y) return x && y && NumbersEqual(*x, *y);
  if (a.index() != b.index()) return false;
  if (const MarkedText* text = AsText(a)) return text->text() == AsText(b)->text();
  if (IsUndefined(a) || IsNone(a)) return true;
  if (const List* list = AsList(a)) return list == AsList(b);
  if (const Dict* dict = AsDict(a)) return dict == AsDict(b);
  if (auto* space = As<Namespace*>(a)) return *space == *As<Namespace*>(b);
  if (auto* loop = As<Loop*>(a)) return *loop == *As<Loop*>(b);
  if (auto* function = As<const Function*>(a)) return *function == *As<const Function*>(b);
  return *As<const Macro*>(a) == *As<const Macro*>(b);
}

bool Equal(const Value& a, const Value& b, Budget& budget) { return DeepEqual(a, b, budget, 0); }

absl::StatusOr<int> Compare(const Value& a, const Value& b, Budget& budget) {
  budget.Spend(1);
  const std::optional<Number> x = AsRoundedNumber(a);
  const std::optional<Number> y = AsRoundedNumber(b);
  if (x && y) return CompareNumbers(*x, *y);
  const MarkedText* left = AsText(a);
  const MarkedText* right = AsText(b);
  // UTF-8 sorts by code point, as Python does.
  if (left != nullptr && right != nullptr) return left->text().compare(right->text());
  const List* list = AsList(a);
  const List* other = AsList(b);
  if (list != nullptr && other != nullptr && list->kind == other->kind && IsSequence(list)) {
    return CompareLists(*list, *other, budget);
  }
  for (const Value* side : {&a, &b}) {
    if (const Undefined* undefined = As<Undefined>(*side)) {
      return absl::InvalidArgumentError(*undefined->what);
    }
  }
  return absl::InvalidArgumentError(StrCat("values of type ", TypeName(a), " and ", TypeName(b),
                                           " have no order; compare values of one type"));
}

absl::StatusOr<bool> Contains(const Value& haystack, const Value& needle, Budget& budget) {
  if (const MarkedText* text = AsText(haystack)) {
    budget.Spend(text->size() / 64);
    const MarkedText* part = AsText(needle);
    if (part == nullptr) {
      return absl::InvalidArgumentError(StrCat("'in' of a string needs a string on its left, not ",
                                               TypeName(needle), "; convert it with |string"));
    }
    return text->text().find(part->text()) != std::string::npos;
  }
  if (const List* list = AsList(haystack)) {
    return std::ranges::any_of(list->items,
                               [&](const Value& item) { return Equal(item, needle, budget); });
  }
  if (Dict* dict = AsDict(haystack)) {
    if (!AsText(needle)) budget.Spend(dict->entries.size());
    return FindEntry(*dict, needle) != nullptr;
  }
  if (IsUndefined(haystack)) return false;
  return absl::InvalidArgumentError(
      StrCat("'in' needs a string, a list or a dict on its right, not ", TypeName(haystack)));
}

}  // namespace infer::chat
