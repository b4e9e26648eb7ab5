// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/machine_text.h"

#include <google/protobuf/text_format.h>

#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "ir/base/control_chars.h"
#include "ir/base/nearest.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/graph/op_def.h"
#include "ir/ops/message.h"
#include "ir/ops/op_list.h"
#include "ir/policy/machine.h"
#include "ir/policy/machine.pb.h"
#include "ir/policy/policy_proto.h"
#include "ir/policy/text_error.h"

namespace infer {
namespace {

using google::protobuf::TextFormat;

absl::Status Error(std::string_view where, std::string_view what) {
  return absl::InvalidArgumentError(StrCat(where, ": ", what));
}

absl::StatusOr<Target> ReadTarget(proto::Target number, std::string_view where) {
  std::optional<Target> target = TargetFromProto(number);
  if (target) return *target;
  return Error(where,
               StrCat("names no target; expected one of SCALAR, SIMD, PARALLEL, METAL and CUDA"));
}

// Bounds that every real machine is within. Beyond them estimates would not be finite, and the
// error would blame the model.
constexpr double kMostNs = 1e12;     // a quarter of an hour
constexpr double kLeastRate = 1e-3;  // GB/s or GOP/s: a million per second
constexpr double kMostRate = 1e6;
constexpr double kMostElements = 1e6;
constexpr int64_t kMostThreads = 4096;                 // the largest machines have about 2000
constexpr int64_t kMostCacheBytes = int64_t{1} << 40;  // the largest caches have 1.2 GB

absl::Status CheckNumber(double number, double most, std::string_view field,
                         std::string_view where) {
  if (std::isfinite(number) && number >= 0 && number <= most) return absl::OkStatus();
  return Error(where, StrCat(field, " is ", number, "; expected a number from 0 to ", most));
}

absl::Status CheckRate(double number, std::string_view field, std::string_view where) {
  if (number == 0 || (number >= kLeastRate && number <= kMostRate)) return absl::OkStatus();
  return Error(where, StrCat(field, " is ", number, "; expected 0 for unknown, or a number from ",
                             kLeastRate, " to ", kMostRate));
}

absl::StatusOr<TargetCost> ReadTargetCost(const proto::TargetCost& in, std::string_view where) {
  TargetCost cost;
  ASSIGN_OR_RETURN(cost.target, ReadTarget(in.target(), StrCat(where, ": an entry of target")));
  const std::string entry = StrCat(where, ": target ", Name(cost.target));
  for (auto [number, field] : {std::pair{in.step_ns(), "step_ns"},
                               {in.wake_ns(), "wake_ns"},
                               {in.boundary_ns(), "boundary_ns"}}) {
    RETURN_IF_ERROR(CheckNumber(number, kMostNs, field, entry));
  }
  RETURN_IF_ERROR(CheckRate(in.copy_gb_s(), "copy_gb_s", entry));
  cost.step_ns = in.step_ns();
  cost.wake_ns = in.wake_ns();
  cost.boundary_ns = in.boundary_ns();
  cost.copy_gb_s = in.copy_gb_s();
  return cost;
}

absl::Status CheckNames(const KernelRate& rate, std::string_view where) {
  const OpDef* op = infer::FindOp(rate.op);
  if (!rate.op.empty() && op == nullptr) {
    std::vector<std::string_view> names;
    for (const OpDef* known : AllOps()) names.push_back(known->name);
    return Error(where, StrCat("unknown op ", Quote(rate.op), DidYouMean(rate.op, names)));
  }
  const bool is_message = op != nullptr && op->traits.collective &&
                          (FindMessageForm(rate.type) != nullptr || rate.type == ops::kStayingType);
  if (!rate.type.empty() && !is_message && !FindDType(rate.type)) {
    std::vector<std::string_view> names;
    for (const DTypeInfo& info : AllDTypes()) names.push_back(info.name);
    return Error(where, StrCat("unknown type ", Quote(rate.type), DidYouMean(rate.type, names)));
  }
  return absl::OkStatus();
}

absl::StatusOr<KernelRate> ReadKernelRate(const proto::KernelRate& in, std::string_view where) {
  KernelRate rate;
  ASSIGN_OR_RETURN(rate.target, ReadTarget(in.target(), StrCat(where, ": an entry of kernel")));
  rate.op = in.op();
  rate.type = in.type();
  rate.gb_s = in.gb_s();
  rate.cached_gb_s = in.cached_gb_s();
  rate.fixed_ns = in.fixed_ns();
  rate.start_elements = in.start_elements();
  const std::string entry =
      StrCat(where, ": kernel ", rate.op.empty() ? "of any op" : rate.op, " ", rate.type,
             rate.type.empty() ? "" : " ", "on ", Name(rate.target));
  RETURN_IF_ERROR(CheckNames(rate, entry));
  RETURN_IF_ERROR(CheckRate(rate.gb_s, "gb_s", entry));
  RETURN_IF_ERROR(CheckRate(rate.cached_gb_s, "cached_gb_s", entry));
  RETURN_IF_ERROR(CheckNumber(rate.fixed_ns, kMostNs, "fixed_ns", entry));
  RETURN_IF_ERROR(CheckNumber(rate.start_elements, kMostElements, "start_elements", entry));
  int64_t last_rows = 0;
  for (const proto::RowRate& row_rate : in.rate()) {
    if (row_rate.rows() <= last_rows) {
      return Error(entry, StrCat("rows ", row_rate.rows(), " after ", last_rows,
                                 "; rates must have rows from 1 up, in ascending order"));
    }
    if (!(row_rate.gop_s() >= kLeastRate && row_rate.gop_s() <= kMostRate)) {
      return Error(entry, StrCat("gop_s is ", row_rate.gop_s(), " at ", row_rate.rows(),
                                 " rows; expected a number from ", kLeastRate, " to ", kMostRate));
    }
    RETURN_IF_ERROR(CheckNumber(row_rate.fixed_ns(), kMostNs, "fixed_ns",
                                StrCat(entry, " at ", row_rate.rows(), " rows")));
    last_rows = row_rate.rows();
    rate.rates.push_back({row_rate.rows(), row_rate.gop_s(), row_rate.fixed_ns()});
  }
  return rate;
}

// The positions of a file's fields.
class Places {
 public:
  explicit Places(std::string_view where) : where_(where) {}
  TextFormat::ParseInfoTree* tree() { return &tree_; }
  std::string Of(const std::string& field, int index = -1) const {
    return PlaceOf(where_, tree_, *proto::MachineDescription::descriptor(), field, index);
  }

 private:
  std::string_view where_;
  TextFormat::ParseInfoTree tree_;
};

absl::StatusOr<MachineDescription> ReadHead(const proto::MachineDescription& in,
                                            const Places& places) {
  MachineDescription machine;
  if (in.name().empty()) return Error(places.Of("name"), "the machine has no name");
  if (HasControl(in.name())) {
    return Error(places.Of("name"),
                 StrCat("the machine's name ", Quote(in.name()), " has a control character"));
  }
  if (in.threads() < 1 || in.threads() > kMostThreads) {
    return Error(places.Of("threads"),
                 StrCat("threads is ", in.threads(), "; expected 1 to ", kMostThreads));
  }
  if (in.cache_bytes() < 0 || in.cache_bytes() > kMostCacheBytes) {
    return Error(places.Of("cache_bytes"),
                 StrCat("cache_bytes is ", in.cache_bytes(), "; expected 0 to ", kMostCacheBytes));
  }
  RETURN_IF_ERROR(CheckNumber(in.call_ns(), kMostNs, "call_ns", places.Of("call_ns")));
  if (!proto::MachineDescription::Origin_IsValid(in.origin())) {
    return Error(places.Of("origin"),
                 StrCat("origin is ", in.origin(), "; expected GENERIC or CALIBRATED"));
  }
  machine.name = in.name();
  machine.calibrated = in.origin() == proto::MachineDescription::CALIBRATED;
  machine.threads = in.threads();
  machine.cache_bytes = in.cache_bytes();
  machine.call_ns = in.call_ns();
  return machine;
}

absl::StatusOr<MachineDescription> FromProto(const proto::MachineDescription& in,
                                             const Places& places) {
  ASSIGN_OR_RETURN(MachineDescription machine, ReadHead(in, places));
  for (int i = 0; i < in.target_size(); ++i) {
    const std::string where = places.Of("target", i);
    ASSIGN_OR_RETURN(TargetCost cost, ReadTargetCost(in.target(i), where));
    if (machine.FindCost(cost.target) != nullptr) {
      return Error(where, StrCat("target ", Name(cost.target), " is listed twice"));
    }
    machine.targets.push_back(cost);
  }
  std::set<std::tuple<Target, std::string, std::string>> seen;
  for (int i = 0; i < in.kernel_size(); ++i) {
    const std::string where = places.Of("kernel", i);
    ASSIGN_OR_RETURN(KernelRate rate, ReadKernelRate(in.kernel(i), where));
    if (!seen.emplace(rate.target, rate.op, rate.type).second) {
      return Error(where, StrCat("kernel ", rate.op, " ", rate.type, " on ", Name(rate.target),
                                 " is listed twice"));
    }
    machine.kernels.push_back(std::move(rate));
  }
  return machine;
}

}  // namespace

absl::StatusOr<MachineDescription> ParseMachine(std::string_view textproto,
                                                std::string_view where) {
  if (textproto.size() > kMaxMachineBytes) {
    return Error(where, StrCat("has ", textproto.size(),
                               " bytes, a machine description has at most ", kMaxMachineBytes));
  }
  Places places(where);
  proto::MachineDescription message;
  RETURN_IF_ERROR(ParseText(textproto, where, &message, places.tree()));
  return FromProto(message, places);
}

std::string PrintMachine(const MachineDescription& machine) {
  proto::MachineDescription out;
  out.set_name(machine.name);
  out.set_origin(machine.calibrated ? proto::MachineDescription::CALIBRATED
                                    : proto::MachineDescription::GENERIC);
  out.set_threads(machine.threads);
  out.set_cache_bytes(machine.cache_bytes);
  out.set_call_ns(machine.call_ns);
  for (const TargetCost& cost : machine.targets) {
    proto::TargetCost* target = out.add_target();
    target->set_target(TargetToProto(cost.target));
    target->set_step_ns(cost.step_ns);
    target->set_wake_ns(cost.wake_ns);
    target->set_boundary_ns(cost.boundary_ns);
    target->set_copy_gb_s(cost.copy_gb_s);
  }
  for (const KernelRate& rate : machine.kernels) {
    proto::KernelRate* kernel = out.add_kernel();
    kernel->set_target(TargetToProto(rate.target));
    kernel->set_op(rate.op);
    kernel->set_type(rate.type);
    kernel->set_gb_s(rate.gb_s);
    kernel->set_cached_gb_s(rate.cached_gb_s);
    kernel->set_fixed_ns(rate.fixed_ns);
    kernel->set_start_elements(rate.start_elements);
    for (const RowRate& row_rate : rate.rates) {
      proto::RowRate* added = kernel->add_rate();
      added->set_rows(row_rate.rows);
      added->set_gop_s(row_rate.gop_s);
      added->set_fixed_ns(row_rate.fixed_ns);
    }
  }
  std::string text;
  TextFormat::PrintToString(out, &text);
  return text;
}

}  // namespace infer
