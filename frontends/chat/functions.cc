// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/functions.h"

#include <algorithm>
#include <ctime>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/python_text.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

// The bound of Jinja's sandbox.
constexpr int64_t kMaxRange = 100'000;

absl::StatusOr<Value> Range(Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("range", arguments, {"start", "stop", "step"}));
  if (bound[0] == nullptr) return absl::InvalidArgumentError("range needs at least one argument");
  ASSIGN_OR_RETURN(int64_t start, bound.Integer(0, 0));
  ASSIGN_OR_RETURN(int64_t stop, bound.Integer(1, start));
  ASSIGN_OR_RETURN(int64_t step, bound.Integer(2, 1));
  if (bound[1] == nullptr) start = 0;
  if (step == 0) return absl::InvalidArgumentError("the step of range must not be 0");
  // Wide enough for the distance of any two numbers.
  const absl::int128 first = start;
  const absl::int128 span = step > 0 ? stop - first : first - stop;
  const absl::int128 width = step > 0 ? absl::int128(step) : -absl::int128(step);
  const absl::int128 count = span <= 0 ? 0 : (span + width - 1) / width;
  if (count > kMaxRange) {
    return absl::InvalidArgumentError(
        StrCat("range has more than ", kMaxRange, " numbers, which is the limit"));
  }
  List* list = environment.heap->NewList(ListKind::kRange);
  environment.heap->budget().Spend(static_cast<size_t>(count) / 8);
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
    environment.heap->Push(list, static_cast<int64_t>(first + i * absl::int128(step)));
  }
  return list;
}

absl::Status FillDict(Environment& environment, std::string_view who, const Arguments& arguments,
                      Dict* dict) {
  for (const Value& value : arguments.positional) {
    const Dict* other = AsDict(value);
    if (other == nullptr) {
      return absl::InvalidArgumentError(
          StrCat(who, " takes dicts and named arguments, got a value of type ", TypeName(value)));
    }
    for (const Dict::Entry& entry : other->entries) {
      environment.heap->Set(dict, entry.key, entry.value);
    }
  }
  for (const auto& [name, value] : arguments.named) {
    environment.heap->Set(dict, environment.heap->NewString(name), value);
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> MakeNamespace(Environment& environment, const Arguments& arguments) {
  Namespace* made = environment.heap->NewNamespace();
  RETURN_IF_ERROR(FillDict(environment, "namespace", arguments, made->attributes));
  return made;
}

absl::StatusOr<Value> MakeDict(Environment& environment, const Arguments& arguments) {
  Dict* made = environment.heap->NewDict();
  RETURN_IF_ERROR(FillDict(environment, "dict", arguments, made));
  return made;
}

absl::StatusOr<Value> RaiseException(Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("raise_exception", arguments, {"message"}));
  TextBuilder message(environment.heap);
  RETURN_IF_ERROR(AppendStr(bound.ValueOr(0, None()), &message));
  return absl::InvalidArgumentError(
      StrCat("the template refuses this conversation: ", message.text().text()));
}

absl::StatusOr<Value> StrftimeNow(Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("strftime_now", arguments, {"format"}));
  ASSIGN_OR_RETURN(const MarkedText* format, bound.Text(0, nullptr));
  if (format == nullptr) return absl::InvalidArgumentError("strftime_now needs a format");
  std::tm parts = {};
  if (environment.clock.fixed) {
    const auto seconds = static_cast<std::time_t>(environment.clock.seconds);
    gmtime_r(&seconds, &parts);
  } else {
    const std::time_t seconds = std::time(nullptr);
    localtime_r(&seconds, &parts);
  }
  char buffer[1024];
  // An empty result also means too little room; the byte in front tells the two apart.
  const std::string padded = StrCat("x", format->text());
  if (padded.find('\0') != std::string::npos || padded.size() > sizeof(buffer) / 4) {
    return absl::InvalidArgumentError("the format of strftime_now is too long or has a zero byte");
  }
  const size_t bytes = std::strftime(buffer, sizeof(buffer), padded.c_str(), &parts);
  if (bytes == 0) return absl::InvalidArgumentError("the result of strftime_now is too long");
  return environment.heap->NewString(std::string_view(buffer + 1, bytes - 1));
}

constexpr Function kFunctions[] = {
    {"range", Range},
    {"namespace", MakeNamespace},
    {"dict", MakeDict},
    {"raise_exception", RaiseException},
    {"strftime_now", StrftimeNow},
};

}  // namespace

const Function* FindFunction(std::string_view name) {
  const auto* it = std::ranges::find(kFunctions, name, &Function::name);
  return it == std::end(kFunctions) ? nullptr : it;
}

}  // namespace infer::chat
