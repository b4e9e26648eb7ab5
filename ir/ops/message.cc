// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/message.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer {

const MessageForm* FindMessageForm(std::string_view name) {
  for (const MessageForm& form : kMessageForms) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

namespace ops {
namespace {

// The position of an attribute that the collective has.
int Find(const OpDef& op, std::string_view attr) {
  const auto found = std::ranges::find(op.attrs, attr, &AttrSpec::name);
  assert(found != op.attrs.end());
  return static_cast<int>(found - op.attrs.begin());
}

void AddReason(Node* collective, std::string_view why) {
  const int at = Find(collective->op(), "reason");
  const std::string& before = collective->attr<std::string>(at);
  collective->set_attr(at, StrCat(before, before.empty() ? "" : "; ", why));
}

}  // namespace

std::string_view MessageType(const Node& collective) {
  if (!collective.Is(kAllGather)) return "f32";
  if (collective.result().type.is_tensor(*kStayingForm.stays_as)) return kStayingType;
  const std::string_view rounded = MessageOf(collective.attrs()).name;
  return rounded.empty() ? "f32" : rounded;
}

void SetMessage(Node* all_gather, const MessageForm& form, std::string_view why) {
  AddReason(all_gather, why);
  all_gather->set_attr(Find(all_gather->op(), "message"), std::string(form.name));
}

void StayRounded(Node* collective, int i, std::string_view why) {
  if (collective->Is(kAllGather)) {
    SetMessage(collective, kStayingForm, why);
  } else {
    AddReason(collective, why);
  }
  const int at = Find(collective->op(), "stays");
  std::vector<int64_t> stays = collective->attr<std::vector<int64_t>>(at);
  stays.insert(std::ranges::upper_bound(stays, i), i);
  collective->set_attr(at, std::move(stays));
  collective->result(i).type.tensor.dtype = *kStayingForm.stays_as;
}

absl::StatusOr<Types> TypesThatStay(const OpArgs& args, int attr, Types types) {
  int64_t last = -1;
  for (int64_t i : args.attr<std::vector<int64_t>>(attr)) {
    if (i <= last || i >= static_cast<int64_t>(types.size())) {
      return args.Error(StrCat("stays must list results in ascending order, below ", types.size(),
                               "; found ", ToString(args.attrs[static_cast<size_t>(attr)])));
    }
    types[static_cast<size_t>(i)].tensor.dtype = *kStayingForm.stays_as;
    last = i;
  }
  return types;
}

}  // namespace ops
}  // namespace infer
