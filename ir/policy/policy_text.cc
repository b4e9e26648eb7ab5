// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/policy_text.h"

#include <google/protobuf/text_format.h>

#include <set>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/policy/policy_proto.h"
#include "ir/policy/text_error.h"

namespace infer {
namespace {

using google::protobuf::TextFormat;

absl::Status Error(const std::string& place, std::string_view what) {
  return absl::InvalidArgumentError(StrCat(place, ": ", what));
}

std::string PlaceOfRule(std::string_view where, const TextFormat::ParseInfoTree& places,
                        int number) {
  return PlaceOf(where, places, *proto::Policy::descriptor(), "rule", number);
}

absl::Status CheckPolicy(const Policy& policy, std::string_view where,
                         const TextFormat::ParseInfoTree& places) {
  if (policy.name.empty()) return Error(PlaceText(where, 0, 0), "the policy has no name");
  if (policy.rules.empty()) return Error(PlaceText(where, 0, 0), "the policy has no rules");
  if (absl::Status status = CheckTexts(policy); !status.ok()) {
    return Error(PlaceText(where, 0, 0), ToStd(status.message()));
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < policy.rules.size(); ++i) {
    const Rule& rule = policy.rules[i];
    auto error = [&](std::string_view what) {
      return Error(PlaceOfRule(where, places, static_cast<int>(i)), what);
    };
    if (rule.name.empty()) return error("a rule has no name");
    if (!names.insert(rule.name).second) {
      return error(StrCat("a second rule is named ", Quote(rule.name)));
    }
    if (absl::Status status = CheckRule(rule); !status.ok()) {
      return error(StrCat("rule ", Quote(rule.name), " ", ToStd(status.message())));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Policy> ParsePolicy(std::string_view textproto, std::string_view where) {
  if (textproto.size() > kMaxPolicyBytes) {
    return absl::InvalidArgumentError(StrCat(where, ": has ", textproto.size(),
                                             " bytes, a policy has at most ", kMaxPolicyBytes));
  }
  TextFormat::ParseInfoTree places;
  proto::Policy message;
  RETURN_IF_ERROR(ParseText(textproto, where, &message, &places));
  int bad_rule = -1;
  absl::StatusOr<Policy> policy = PolicyFromProto(message, &bad_rule);
  if (!policy.ok()) {
    return Error(bad_rule < 0 ? PlaceText(where, 0, 0) : PlaceOfRule(where, places, bad_rule),
                 ToStd(policy.status().message()));
  }
  RETURN_IF_ERROR(CheckPolicy(*policy, where, places));
  return policy;
}

std::string PrintPolicy(const Policy& policy) {
  proto::Policy message;
  PolicyToProto(policy, &message);
  TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

}  // namespace infer
