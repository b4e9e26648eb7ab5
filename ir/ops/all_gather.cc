// SPDX-License-Identifier: Apache-2.0
#include "ir/base/strings.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfAllGather[] = {{"x"}};
// `reason` says why the value is needed here, and why it is sent in the form `message`, in which it
// may stay.
constexpr AttrSpec kAttrsOfAllGather[] = {{"axis", AttrKind::kInt},
                                          {"ranks", AttrKind::kInt},
                                          {"reason", AttrKind::kString, /*optional=*/true},
                                          {"message", AttrKind::kString, /*optional=*/true},
                                          {"stays", AttrKind::kInts, /*optional=*/true}};
constexpr int kMessage = 3, kStaysOfGather = 4;

// The elements of a part that lie together in each row; 0 unless their number is always the same.
int64_t ElementsFrom(const ValueType& part, int64_t axis) {
  int64_t elements = 1;
  for (int i = static_cast<int>(axis); i < part.rank(); ++i) {
    if (part.dim(i).is_symbol()) return 0;
    elements *= part.dim(i).value();
  }
  return elements;
}

absl::StatusOr<Types> InferAllGather(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const int64_t axis = args.attr<int64_t>(0), ranks = args.attr<int64_t>(1);
  if (!x.is_tensor(DType::kF32)) return args.Error("x must be f32");
  if (ranks < 2 || ranks > kMaxRanks) {
    return args.Error(StrCat("ranks must be 2 to ", kMaxRanks, ", found ", ranks));
  }
  if (axis < 0 || axis >= x.rank() || ElementsFrom(x, axis) == 0 ||
      x.dim(static_cast<int>(axis)).value() > kMaxDim / ranks) {
    return args.Error(StrCat("cannot join ", ranks, " parts along axis ", axis));
  }
  const MessageForm* form = FindMessageForm(args.attr<std::string>(kMessage));
  if (form == nullptr) {
    return args.Error(StrCat("unknown message '", args.attr<std::string>(kMessage),
                             "'; known messages: bf16, int8x32"));
  }
  if (ElementsFrom(x, axis) % form->block_elements != 0) {
    return args.Error(StrCat("parts of ", ElementsFrom(x, axis),
                             " elements are not whole blocks of ", form->name));
  }
  if (!args.attr<std::vector<int64_t>>(kStaysOfGather).empty() && form != &kStayingForm) {
    return args.Error(
        StrCat("stays needs message = \"", kStayingForm.name, "\", found \"", form->name, "\""));
  }
  ValueType whole = x;
  whole.tensor.shape.set_dim(static_cast<int>(axis), x.dim(static_cast<int>(axis)).value() * ranks);
  return TypesThatStay(args, kStaysOfGather, {whole});
}

// What a rank receives from the others.
Cost CostOfAllGather(const OpArgs& args) {
  return {.flops = {},
          .bytes = MessageOf(args.attrs).share() * static_cast<double>(args.attr<int64_t>(1) - 1) *
                   CountBytes(args.input(0))};
}

}  // namespace

constinit const OpDef kAllGather = {
    .name = "all_gather",
    .summary = "the parts of all ranks along an axis, in the order of the ranks",
    .inputs = kInputsOfAllGather,
    .attrs = kAttrsOfAllGather,
    .traits = {.rowwise = true, .collective = true},
    .infer = InferAllGather,
    .cost = CostOfAllGather,
};

Value AllGather(GraphBuilder& b, Value x, int64_t axis, int64_t ranks, std::string reason) {
  return b.EmitValue(kAllGather, {x},
                     {axis, ranks, std::move(reason), std::string(), std::vector<int64_t>()});
}

AllGatherParams AllGatherOf(std::span<const Attr> attrs) {
  return {std::get<int64_t>(attrs[0]), std::get<int64_t>(attrs[1])};
}

const MessageForm& MessageOf(std::span<const Attr> attrs) {
  return *FindMessageForm(std::get<std::string>(attrs[kMessage]));
}

}  // namespace infer::ops
