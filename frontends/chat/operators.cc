// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/operators.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "absl/status/status.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/text_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

std::string_view SymbolOf(Operator op) {
  constexpr std::string_view kSymbols[] = {"+", "-", "*", "/", "//", "%", "**"};
  return kSymbols[static_cast<size_t>(op)];
}

absl::Status Overflow() {
  return absl::InvalidArgumentError("the result has more than 64 bits, which is not supported");
}

absl::Status DivisionByZero() { return absl::InvalidArgumentError("division by zero"); }

absl::StatusOr<Value> Power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) return DivisionByZero();
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  int64_t result = 1;
  for (int64_t i = 0; i < exponent && base != 1 && base != 0; ++i) {
    if (base == -1) return exponent % 2 == 0 ? int64_t{1} : int64_t{-1};
    if (__builtin_mul_overflow(result, base, &result)) return Overflow();
  }
  return base == 0 && exponent > 0 ? int64_t{0} : result;
}

absl::StatusOr<Value> Integers(Operator op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
    case Operator::kAdd:
      if (__builtin_add_overflow(a, b, &result)) return Overflow();
      return result;
    case Operator::kSubtract:
      if (__builtin_sub_overflow(a, b, &result)) return Overflow();
      return result;
    case Operator::kMultiply:
      if (__builtin_mul_overflow(a, b, &result)) return Overflow();
      return result;
    case Operator::kDivide:
      if (b == 0) return DivisionByZero();
      return static_cast<double>(a) / static_cast<double>(b);
    case Operator::kFloorDivide:
    case Operator::kModulo: {
      if (b == 0) return DivisionByZero();
      if (b == -1) {  // the one quotient that may overflow
        if (op == Operator::kModulo) return int64_t{0};
        if (a == std::numeric_limits<int64_t>::min()) return Overflow();
        return -a;
      }
      const int64_t remainder = a % b;
      const bool differs = remainder != 0 && (remainder < 0) != (b < 0);
      if (op == Operator::kModulo) return differs ? remainder + b : remainder;
      return a / b - (differs ? 1 : 0);
    }
    default:
      return Power(a, b);
  }
}

absl::StatusOr<Value> Reals(Operator op, double a, double b) {
  switch (op) {
    case Operator::kAdd:
      return a + b;
    case Operator::kSubtract:
      return a - b;
    case Operator::kMultiply:
      return a * b;
    case Operator::kDivide:
      if (b == 0) return DivisionByZero();
      return a / b;
    case Operator::kFloorDivide:
      if (b == 0) return DivisionByZero();
      return std::floor(a / b);
    case Operator::kModulo: {
      if (b == 0) return DivisionByZero();
      const double remainder = std::fmod(a, b);
      return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
    }
    default:
      if (a < 0 && b != std::floor(b)) {
        return absl::InvalidArgumentError("a negative number has no such power");
      }
      return std::pow(a, b);
  }
}

absl::StatusOr<Value> Repeat(const Value& value, int64_t times, Heap& heap) {
  const auto count = static_cast<size_t>(std::max<int64_t>(times, 0));
  if (const MarkedText* text = AsText(value)) {
    TextBuilder out(&heap);
    for (size_t i = 0; i < count && !text->empty() && heap.budget().ok(); ++i) {
      out.Append(*text);
      heap.budget().Spend(1);
    }
    return out.Finish();
  }
  const List* list = AsList(value);
  List* out = heap.NewList(list->kind);
  for (size_t i = 0; i < count && !list->items.empty() && heap.budget().ok(); ++i) {
    for (const Value& item : list->items) heap.Push(out, item);
    heap.budget().Spend(1 + list->items.size() / 8);
  }
  return out;
}

bool IsListOrTuple(const List* list) {
  return list != nullptr && (list->kind == ListKind::kList || list->kind == ListKind::kTuple);
}

absl::StatusOr<Value> Joined(const Value& left, const Value& right, Heap& heap) {
  const MarkedText* a = AsText(left);
  const MarkedText* b = AsText(right);
  if (a != nullptr && b != nullptr) {
    TextBuilder out(&heap);
    out.Append(*a);
    out.Append(*b);
    return out.Finish();
  }
  const List* first = AsList(left);
  const List* second = AsList(right);
  if (!IsListOrTuple(first) || !IsListOrTuple(second) || first->kind != second->kind) {
    return absl::NotFoundError("");
  }
  List* out = heap.NewList(first->kind);
  heap.budget().Spend((first->items.size() + second->items.size()) / 8);
  for (const List* list : {first, second}) {
    for (const Value& item : list->items) heap.Push(out, item);
  }
  return out;
}

// Operations on strings and lists; kNotFound if there is none for these types.
absl::StatusOr<Value> OnSequences(Operator op, const Value& left, const Value& right, Heap& heap) {
  if (op == Operator::kAdd) return Joined(left, right, heap);
  if (op == Operator::kModulo && AsText(left)) return FormatPercent(*AsText(left), right, heap);
  if (op == Operator::kMultiply) {
    for (const auto& [sequence, times] : {std::pair(&left, &right), std::pair(&right, &left)}) {
      const std::optional<Number> number = AsNumber(*times);
      if (!number || !number->is_integer) continue;
      if (AsText(*sequence) || IsListOrTuple(AsList(*sequence))) {
        return Repeat(*sequence, number->integer, heap);
      }
    }
  }
  return absl::NotFoundError("");
}

}  // namespace

absl::StatusOr<Value> Calculate(Operator op, const Value& left, const Value& right, Heap& heap) {
  const std::optional<Number> a = AsRoundedNumber(left);
  const std::optional<Number> b = AsRoundedNumber(right);
  if (a && b) {
    const bool has_big = Is<BigInteger>(left) || Is<BigInteger>(right);
    if (has_big && !Is<double>(left) && !Is<double>(right)) return Overflow();
    return a->is_integer && b->is_integer ? Integers(op, a->integer, b->integer)
                                          : Reals(op, a->real, b->real);
  }
  absl::StatusOr<Value> result = OnSequences(op, left, right, heap);
  if (result.status().code() != absl::StatusCode::kNotFound) return result;
  for (const Value* side : {&left, &right}) {
    if (const Undefined* undefined = As<Undefined>(*side)) {
      return absl::InvalidArgumentError(*undefined->what);
    }
  }
  const bool has_text = op == Operator::kAdd && (AsText(left) || AsText(right));
  return absl::InvalidArgumentError(StrCat("'", SymbolOf(op), "' is not defined for ",
                                           TypeName(left), " and ", TypeName(right),
                                           has_text ? "; use ~ or |string" : ""));
}

absl::StatusOr<Value> Negate(const Value& value) {
  const std::optional<Number> number = AsNumber(value);
  if (!number) {
    if (const Undefined* undefined = As<Undefined>(value)) {
      return absl::InvalidArgumentError(*undefined->what);
    }
    return absl::InvalidArgumentError(
        StrCat("a value of type ", TypeName(value), " has no negative"));
  }
  if (!number->is_integer) return -number->real;
  if (number->integer == std::numeric_limits<int64_t>::min()) return Overflow();
  return -number->integer;
}

absl::StatusOr<bool> Relate(Operator op, const Value& left, const Value& right, Heap& heap) {
  Budget& budget = heap.budget();
  switch (op) {
    case Operator::kEqual:
      return Equal(left, right, budget);
    case Operator::kNotEqual:
      return !Equal(left, right, budget);
    case Operator::kIn:
      return Contains(right, left, budget);
    case Operator::kNotIn: {
      ASSIGN_OR_RETURN(bool found, Contains(right, left, budget));
      return !found;
    }
    default:
      break;
  }
  ASSIGN_OR_RETURN(int order, Compare(left, right, budget));
  if (op == Operator::kLess) return order < 0;
  if (op == Operator::kLessEqual) return order <= 0;
  if (op == Operator::kGreater) return order > 0;
  return order >= 0;
}

}  // namespace infer::chat
