// SPDX-License-Identifier: Apache-2.0
//
// Converts policies to and from their message. Only for ir/policy/policy_text.cc and
// ir/proto/serialize*.cc.
#pragma once

#include "absl/status/statusor.h"
#include "ir/policy/policy.h"
#include "ir/policy/policy.pb.h"

namespace infer {

void PolicyToProto(const Policy& policy, proto::Policy* out);
// Refuses numbers that are not enumerators, unknown element types and invalid patterns, and checks
// nothing else. `bad_rule`, if not nullptr, receives the position of the rule that an error is
// about, or -1.
absl::StatusOr<Policy> PolicyFromProto(const proto::Policy& in, int* bad_rule = nullptr);

proto::Target TargetToProto(Target target);
std::optional<Target> TargetFromProto(proto::Target target);

}  // namespace infer
