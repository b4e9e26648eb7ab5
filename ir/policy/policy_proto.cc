// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/policy_proto.h"

#include <algorithm>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/graph/sharding.h"

namespace infer {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

// The message has fields min_<name> and max_<name> for each of kBoundsFields.
const FieldDescriptor* FieldOf(std::string_view end, const char* name) {
  return proto::Rule::descriptor()->FindFieldByName(StrCat(end, name));
}

void SetBound(proto::Rule* out, const FieldDescriptor* field, std::optional<int64_t> value) {
  if (value) out->GetReflection()->SetInt64(out, field, *value);
}

std::optional<int64_t> GetBound(const proto::Rule& in, const FieldDescriptor* field) {
  const Reflection& reflection = *in.GetReflection();
  if (!reflection.HasField(in, field)) return std::nullopt;
  return reflection.GetInt64(in, field);
}

void RuleToProto(const Rule& rule, proto::Rule* out) {
  out->set_name(rule.name);
  out->set_op(rule.op);
  out->set_scope(rule.scope);
  out->set_node(rule.node);
  out->set_node_regex(rule.node_regex.text());
  out->set_weight_type(rule.weight_type);
  out->set_phase(static_cast<proto::Phase>(rule.phase));
  for (Target target : rule.targets) out->add_targets(TargetToProto(target));
  for (const BoundsField& field : kBoundsFields) {
    SetBound(out, FieldOf("min_", field.name), (rule.*field.bounds).min);
    SetBound(out, FieldOf("max_", field.name), (rule.*field.bounds).max);
  }
}

absl::StatusOr<ShardPolicy> ShardFromProto(const proto::Shard& in) {
  ShardPolicy shard;
  if (in.ranks() < 0 || in.ranks() > kMaxRanks || in.min_columns() < 0 ||
      !proto::Shard::Mode_IsValid(in.mode())) {
    return absl::InvalidArgumentError(
        StrCat("shard: ranks must be 1 to ", kMaxRanks,
               ", mode EXACT or FAST, and min_columns at least 1; found ranks ", in.ranks(),
               ", mode ", static_cast<int>(in.mode()), ", min_columns ", in.min_columns()));
  }
  shard.ranks = std::max(in.ranks(), 1);
  if (in.mode() == proto::Shard::FAST) shard.mode = ShardPolicy::Mode::kFast;
  if (in.min_columns() != 0) shard.min_columns = in.min_columns();
  return shard;
}

absl::StatusOr<Rule> RuleFromProto(const proto::Rule& in) {
  Rule rule;
  rule.name = in.name();
  rule.op = in.op();
  rule.scope = in.scope();
  rule.node = in.node();
  absl::StatusOr<NameRegex> regex = NameRegex::Compile(in.node_regex());
  if (!regex.ok()) {
    return absl::InvalidArgumentError(
        StrCat("rule ", Quote(rule.name), ": node_regex: ", ToStd(regex.status().message())));
  }
  rule.node_regex = *std::move(regex);
  rule.weight_type = in.weight_type();
  for (auto phase : {in.phase(), in.regime()}) {
    if (proto::Phase_IsValid(phase)) continue;
    return absl::InvalidArgumentError(
        StrCat("rule ", Quote(rule.name), " names the unknown phase ", phase));
  }
  if (in.phase() != in.regime() && in.phase() != 0 && in.regime() != 0) {
    return absl::InvalidArgumentError(
        StrCat("rule ", Quote(rule.name), " has both a phase and a regime, which are the same"));
  }
  rule.phase = static_cast<Phase>(in.phase() != 0 ? in.phase() : in.regime());
  for (int number : in.targets()) {
    std::optional<Target> target = TargetFromProto(static_cast<proto::Target>(number));
    if (!target) {
      return absl::InvalidArgumentError(
          StrCat("rule ", Quote(rule.name), " names the unknown target ", number));
    }
    rule.targets.push_back(*target);
  }
  for (const BoundsField& field : kBoundsFields) {
    rule.*field.bounds = {GetBound(in, FieldOf("min_", field.name)),
                          GetBound(in, FieldOf("max_", field.name))};
  }
  return rule;
}

}  // namespace

// The enumerators are those of ir/graph/target.h in the same order, after the unspecified one.
proto::Target TargetToProto(Target target) {
  return static_cast<proto::Target>(static_cast<int>(target) + 1);
}

std::optional<Target> TargetFromProto(proto::Target target) {
  int number = static_cast<int>(target) - 1;
  if (number < 0 || number >= kNumTargets) return std::nullopt;
  return static_cast<Target>(number);
}

void PolicyToProto(const Policy& policy, proto::Policy* out) {
  out->set_name(policy.name);
  out->set_summary(policy.summary);
  out->set_composites(policy.composites == Policy::Composites::kKeep ? proto::Policy::KEEP
                                                                     : proto::Policy::DECOMPOSE);
  out->set_activations(policy.activations == Policy::Activations::kAuto ? proto::Policy::AUTO
                                                                        : proto::Policy::FLOAT);
  out->set_invariant(policy.invariant);
  if (policy.shard != ShardPolicy()) {
    proto::Shard* shard = out->mutable_shard();
    shard->set_ranks(policy.shard.ranks);
    shard->set_mode(policy.shard.mode == ShardPolicy::Mode::kExact ? proto::Shard::EXACT
                                                                   : proto::Shard::FAST);
    if (policy.shard.min_columns != ShardPolicy::kDefaultMinColumns) {
      shard->set_min_columns(policy.shard.min_columns);
    }
  }
  if (policy.kv_type) out->set_kv_type(std::string(Name(*policy.kv_type)));
  for (const Rule& rule : policy.rules) RuleToProto(rule, out->add_rule());
}

absl::StatusOr<Policy> PolicyFromProto(const proto::Policy& in, int* bad_rule) {
  Policy policy;
  if (bad_rule != nullptr) *bad_rule = -1;
  policy.name = in.name();
  policy.summary = in.summary();
  if (!proto::Policy::Composites_IsValid(in.composites()) ||
      !proto::Policy::Activations_IsValid(in.activations())) {
    return absl::InvalidArgumentError(
        "the policy has an unknown value for composites or activations");
  }
  policy.composites = in.composites() == proto::Policy::KEEP ? Policy::Composites::kKeep
                                                             : Policy::Composites::kDecompose;
  policy.activations = in.activations() == proto::Policy::AUTO ? Policy::Activations::kAuto
                                                               : Policy::Activations::kFloat;
  policy.invariant = in.invariant();
  ASSIGN_OR_RETURN(policy.shard, ShardFromProto(in.shard()));
  if (!in.kv_type().empty()) {
    policy.kv_type = FindDType(in.kv_type());
    if (!policy.kv_type) {
      return absl::InvalidArgumentError(
          StrCat("kv_type ", Quote(in.kv_type()),
                 " is not an element type of the cache; use f32, f16 or q8_0"));
    }
  }
  for (const proto::Rule& rule : in.rule()) {
    absl::StatusOr<Rule> made = RuleFromProto(rule);
    if (!made.ok() && bad_rule != nullptr) *bad_rule = static_cast<int>(policy.rules.size());
    RETURN_IF_ERROR(made.status());
    policy.rules.push_back(*std::move(made));
  }
  CountRegexSteps(&policy);
  return policy;
}

}  // namespace infer
