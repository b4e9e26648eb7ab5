// SPDX-License-Identifier: Apache-2.0
#include "ir/policy.h"

#include <google/protobuf/text_format.h>

#include <set>

#include "ir/attr.h"
#include "ir/nearest.h"
#include "ir/policy_proto.h"
#include "ir/protobuf_compat.h"
#include "ir/status_macros.h"
#include "ir/strings.h"

namespace infer {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::TextFormat;

// Where an error is, in the form that editors and compilers use. Counted from 0 inside.
absl::Status ErrorAt(std::string_view where, int line, int column, std::string_view what) {
  return absl::InvalidArgumentError(StrCat(where, ":", line + 1, ":", column + 1, ": ", what));
}

std::vector<std::string_view> FieldNames(const Descriptor& message) {
  std::vector<std::string_view> names;
  for (int i = 0; i < message.field_count(); ++i) {
    const auto& name = message.field(i)->name();
    names.emplace_back(name.data(), name.size());
  }
  return names;
}

std::vector<std::string_view> ValueNames(const EnumDescriptor& type) {
  std::vector<std::string_view> names;
  // What is not set is no value to be suggested; KEEP and AUTO are.
  const bool zero_is_unset =
      &type == proto::Target_descriptor() || &type == proto::Phase_descriptor();
  for (int i = 0; i < type.value_count(); ++i) {
    const auto& name = type.value(i)->name();
    if (type.value(i)->number() != 0 || !zero_is_unset) {
      names.emplace_back(name.data(), name.size());
    }
  }
  return names;
}

// The text between the quotes that follow `before`, or nothing.
std::string_view QuotedAfter(std::string_view message, std::string_view before) {
  size_t at = message.find(before);
  if (at == std::string_view::npos) return {};
  std::string_view rest = message.substr(at + before.size());
  size_t end = rest.find('"');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

// protobuf's sentence with a suggestion where it is about a name that does not exist.
std::string Explain(std::string_view message) {
  std::string_view field = QuotedAfter(message, "has no field named \"");
  if (!field.empty()) {
    bool in_rule = message.find("infer.proto.Rule") != std::string_view::npos;
    const Descriptor& type = in_rule ? *proto::Rule::descriptor() : *proto::Policy::descriptor();
    return StrCat("a ", in_rule ? "rule" : "policy", " has no field ", field,
                  DidYouMean(field, FieldNames(type)));
  }
  std::string_view value = QuotedAfter(message, "Unknown enumeration value of \"");
  if (!value.empty()) {
    std::string_view name = QuotedAfter(message, "for field \"");
    const EnumDescriptor& type = name == "composites"    ? *proto::Policy::Composites_descriptor()
                                 : name == "activations" ? *proto::Policy::Activations_descriptor()
                                 : name == "phase"       ? *proto::Phase_descriptor()
                                                         : *proto::Target_descriptor();
    return StrCat(name, " has no value ", value, DidYouMean(value, ValueNames(type)));
  }
  return std::string(message);
}

absl::Status CheckPolicy(const Policy& policy, std::string_view where,
                         const TextFormat::ParseInfoTree& places) {
  if (policy.name.empty()) return ErrorAt(where, 0, 0, "the policy has no name");
  if (policy.rules.empty()) return ErrorAt(where, 0, 0, "the policy has no rules");
  const auto* rule_field = proto::Policy::descriptor()->FindFieldByName("rule");
  std::set<std::string_view> names;
  for (size_t i = 0; i < policy.rules.size(); ++i) {
    const Rule& rule = policy.rules[i];
    auto place = places.GetLocation(rule_field, static_cast<int>(i));
    if (rule.name.empty()) return ErrorAt(where, place.line, place.column, "a rule has no name");
    if (!names.insert(rule.name).second) {
      return ErrorAt(where, place.line, place.column,
                     StrCat("a second rule is named ", Quote(rule.name)));
    }
    if (absl::Status status = CheckRule(rule); !status.ok()) {
      return ErrorAt(where, place.line, place.column,
                     StrCat("rule ", Quote(rule.name), " ", ToStd(status.message())));
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
  QuietProtobuf quiet;
  FirstTextError first_error;
  TextFormat::ParseInfoTree places;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&first_error);
  parser.WriteLocationsTo(&places);
  parser.SetRecursionLimit(10);
  proto::Policy message;
  if (!parser.ParseFromString(std::string(textproto), &message)) {
    return ErrorAt(where, first_error.line(), first_error.column(), Explain(first_error.message()));
  }
  if (proto::Policy again; !again.ParseFromString(message.SerializeAsString())) {
    return absl::InvalidArgumentError(StrCat(where, ": has text that is not UTF-8"));
  }
  absl::StatusOr<Policy> policy = PolicyFromProto(message);
  if (!policy.ok()) return ErrorAt(where, 0, 0, ToStd(policy.status().message()));
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
