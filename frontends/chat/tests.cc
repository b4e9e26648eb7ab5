// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/tests.h"

#include <algorithm>

#include "absl/status/status.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/filters.h"
#include "frontends/chat/functions.h"
#include "frontends/chat/operators.h"
#include "frontends/chat/unicode_text.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

template <bool (*kHolds)(const Value&)>
absl::StatusOr<bool> Plain(Environment&, const Value& value, const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("the test", arguments, {}).status());
  return kHolds(value);
}

bool IsDefined(const Value& value) { return !IsUndefined(value); }
bool IsString(const Value& value) { return AsText(value) != nullptr; }
bool IsMapping(const Value& value) { return AsDict(value) != nullptr; }
bool IsIterable(const Value& value) {
  return AsText(value) || AsDict(value) || AsList(value) || IsUndefined(value);
}
bool IsSequence(const Value& value) {
  const List* list = AsList(value);
  if (list != nullptr) {
    return list->kind == ListKind::kList || list->kind == ListKind::kTuple ||
           list->kind == ListKind::kRange;
  }
  return AsText(value) || AsDict(value) || IsUndefined(value);
}
bool IsBoolean(const Value& value) { return Is<bool>(value); }
bool IsTrueItself(const Value& value) { return Is<bool>(value) && *As<bool>(value); }
bool IsFalseItself(const Value& value) { return Is<bool>(value) && !*As<bool>(value); }
bool IsNumber(const Value& value) { return AsNumber(value).has_value() || Is<BigInteger>(value); }
bool IsInteger(const Value& value) { return Is<int64_t>(value) || Is<BigInteger>(value); }
bool IsFloat(const Value& value) { return Is<double>(value); }
bool IsCallable(const Value& value) {
  return Is<const Function*>(value) || Is<const Macro*>(value) || IsUndefined(value);
}

template <Operator kOperator>
absl::StatusOr<bool> Related(Environment& environment, const Value& value,
                             const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("the test", arguments, {"other"}));
  if (bound[0] == nullptr) return absl::InvalidArgumentError("the test needs a value");
  return Relate(kOperator, value, *bound[0], *environment.heap);
}

absl::StatusOr<bool> SameAs(Environment&, const Value& value, const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("sameas", arguments, {"other"}));
  if (bound[0] == nullptr) return absl::InvalidArgumentError("sameas needs a value");
  return value.index() == bound[0]->index() && KeysEqual(value, *bound[0]);
}

absl::StatusOr<int64_t> RemainderOf(const Value& value, int64_t divisor) {
  const std::optional<Number> number = AsNumber(value);
  if (!number || !number->is_integer || divisor == 0) {
    return absl::InvalidArgumentError(
        StrCat("the test needs integers and a divisor other than 0, got a value of type ",
               TypeName(value)));
  }
  return divisor == -1 ? 0 : number->integer % divisor;
}

template <bool kOdd>
absl::StatusOr<bool> Parity(Environment&, const Value& value, const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("the test", arguments, {}).status());
  ASSIGN_OR_RETURN(int64_t remainder, RemainderOf(value, 2));
  return (remainder != 0) == kOdd;
}

absl::StatusOr<bool> DivisibleBy(Environment&, const Value& value, const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("divisibleby", arguments, {"num"}));
  ASSIGN_OR_RETURN(int64_t divisor, bound.Integer(0, 0));
  ASSIGN_OR_RETURN(int64_t remainder, RemainderOf(value, divisor));
  return remainder == 0;
}

template <bool kUpper>
absl::StatusOr<bool> HasCase(Environment& environment, const Value& value,
                             const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("the test", arguments, {}).status());
  const MarkedText* text = AsText(value);
  if (text == nullptr) return absl::InvalidArgumentError("the test needs a string");
  environment.heap->budget().Spend(text->size() / 16);
  bool found = false;
  for (size_t pos = 0; pos < text->size();) {
    const DecodedCodePoint c = DecodeValidUtf8(text->text(), pos);
    if (kUpper ? IsLower(c.value) : IsUpper(c.value)) return false;
    found = found || (kUpper ? IsUpper(c.value) : IsLower(c.value));
    pos += c.bytes;
  }
  return found;
}

struct Test {
  std::string_view name;
  TestFunction run;
};

constexpr Test kTests[] = {
    {"defined", Plain<IsDefined>},
    {"undefined", Plain<IsUndefined>},
    {"none", Plain<IsNone>},
    {"string", Plain<IsString>},
    {"mapping", Plain<IsMapping>},
    {"iterable", Plain<IsIterable>},
    {"sequence", Plain<IsSequence>},
    {"boolean", Plain<IsBoolean>},
    {"true", Plain<IsTrueItself>},
    {"false", Plain<IsFalseItself>},
    {"number", Plain<IsNumber>},
    {"integer", Plain<IsInteger>},
    {"float", Plain<IsFloat>},
    {"callable", Plain<IsCallable>},
    {"odd", Parity<true>},
    {"even", Parity<false>},
    {"divisibleby", DivisibleBy},
    {"lower", HasCase<false>},
    {"upper", HasCase<true>},
    {"sameas", SameAs},
    {"in", Related<Operator::kIn>},
    {"eq", Related<Operator::kEqual>},
    {"equalto", Related<Operator::kEqual>},
    {"==", Related<Operator::kEqual>},
    {"ne", Related<Operator::kNotEqual>},
    {"!=", Related<Operator::kNotEqual>},
    {"lt", Related<Operator::kLess>},
    {"lessthan", Related<Operator::kLess>},
    {"<", Related<Operator::kLess>},
    {"le", Related<Operator::kLessEqual>},
    {"<=", Related<Operator::kLessEqual>},
    {"gt", Related<Operator::kGreater>},
    {"greaterthan", Related<Operator::kGreater>},
    {">", Related<Operator::kGreater>},
    {"ge", Related<Operator::kGreaterEqual>},
    {">=", Related<Operator::kGreaterEqual>},
};

}  // namespace

TestFunction FindTest(std::string_view name) {
  const auto* it = std::ranges::find(kTests, name, &Test::name);
  return it == std::end(kTests) ? nullptr : it->run;
}

}  // namespace infer::chat
