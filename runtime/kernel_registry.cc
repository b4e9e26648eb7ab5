// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernel_registry.h"

#include <utility>

#include "ir/base/control_chars.h"
#include "ir/base/lookup_count.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

std::vector<std::string> LayoutsOf(const KernelInfo& info, const Node& node) {
  std::vector<std::string> layouts(node.inputs().size());
  bool any = false;
  for (int i = 0; i < static_cast<int>(layouts.size()); ++i) {
    if (!node.input(i).node->op().traits.weight) continue;
    layouts[i] = WeightLayoutOf(info, node, i);
    any = true;
  }
  return any ? layouts : std::vector<std::string>();
}

KernelFacts FactsOf(const KernelInfo& info, const Node& node, const SymbolRanges& symbols) {
  return {.name = std::string(info.name),
          .min_rows = info.min_rows,
          .max_rows = info.max_rows,
          .record = RecordOf(info, node, symbols)};
}

// A node without rows (a scalar, a cache) counts as one row.
Range RowsOf(const Node& node, const SymbolRanges& symbols) {
  const ValueType* rows = RowsType(node);
  if (rows == nullptr) return {1, 1};
  return {rows->dim(0).At(symbols.Lowest()), rows->dim(0).At(symbols.Highest())};
}

// Returns whether the kernel can run the node with any number of rows.
Decision Accepts(const KernelInfo& kernel, const Node& node) {
  const int product = node.op().traits.product_input;
  if (product >= 0 && !kernel.takes_rounded) {
    const DType found = node.input(product).type().tensor.dtype;
    if (found != DType::kF32) {
      return Decision::Reject(StrCat(kernel.name, " reads f32, not ", Name(found)));
    }
  }
  return kernel.accepts(node);
}

bool Allows(Policy::Activations activations, const KernelInfo& info) {
  return activations == Policy::Activations::kAuto || !info.rounds_activations;
}

}  // namespace

KernelRecord RecordOf(const KernelInfo& info, const Node& node, const SymbolRanges& symbols) {
  KernelRecord record = {
      .partition = info.partition ? info.partition(node) : Partition{},
      .weight_layouts = LayoutsOf(info, node),
      .workspace_bytes = info.workspace_bytes ? info.workspace_bytes(node, symbols) : 0,
      .scratch_bytes = info.scratch_bytes ? info.scratch_bytes(node, symbols) : 0,
      .numerics = info.numerics ? info.numerics(node, RowsOf(node, symbols)) : std::string()};
  if (record.numerics.empty() && info.numerics_from != nullptr) {
    record.numerics_from = info.numerics_from(node);
  }
  return record;
}

Decision Takes(const KernelInfo& kernel, const Node& node, const SymbolRanges& symbols) {
  const Range rows = RowsOf(node, symbols);
  if (rows.min < kernel.min_rows || rows.max > kernel.max_rows) {
    return Decision::Reject(StrCat(kernel.name, " takes ", kernel.min_rows, " to ", kernel.max_rows,
                                   " rows, not ", rows.min, " to ", rows.max));
  }
  return Accepts(kernel, node);
}

KernelRegistry::KernelRegistry(std::vector<std::unique_ptr<Backend>> backends,
                               std::map<Device, std::string> why_missing)
    : backends_(std::move(backends)), why_missing_(std::move(why_missing)) {
  for (const auto& backend : backends_) {
    for (const KernelInfo& info : backend->kernels()) {
      by_name_.emplace(info.name, &info);
      by_op_[info.op].push_back(&info);
    }
  }
}

std::string KernelRegistry::WhyUnavailable(Target target) const {
  const Backend* device = backend(DeviceOf(target));
  if (device != nullptr) return device->WhyUnavailable(target);
  auto why = why_missing_.find(DeviceOf(target));
  if (why != why_missing_.end()) return why->second;
  return StrCat("this machine has no ", Name(DeviceOf(target)), " device");
}

int64_t KernelRegistry::AutomaticRows(Target target) const {
  const Backend* device = backend(DeviceOf(target));
  return device == nullptr || !device->WhyUnavailable(target).empty() ? 0
                                                                      : device->automatic_rows();
}

Device KernelRegistry::SpaceOf(Device device) const {
  const Backend* there = backend(device);
  return there == nullptr ? device : there->space();
}

std::shared_ptr<MemorySpace> KernelRegistry::memory(Device space) const {
  const Backend* there = backend(space);
  std::shared_ptr<MemorySpace> own = there == nullptr ? nullptr : there->memory();
  if (own != nullptr) return own;
  return {std::shared_ptr<void>(), &CpuSpace()};  // nobody owns it
}

Collective* KernelRegistry::collective() const {
  for (const std::unique_ptr<Backend>& backend : backends_) {
    if (Collective* found = backend->collective(); found != nullptr) return found;
  }
  return nullptr;
}

std::string KernelRegistry::WhyTooLarge(Target target, uint64_t bytes) const {
  const Backend* device = backend(DeviceOf(target));
  return device == nullptr ? std::string() : device->WhyTooLarge(bytes);
}

std::string KernelRegistry::WhyNot(const KernelInfo& kernel) const {
  const Backend* device = backend(DeviceOf(kernel.target));
  std::string why = device == nullptr ? std::string() : device->WhyNot(kernel.name);
  // Compilers write many lines, but a Program stores reasons, and its texts have no control
  // characters.
  return why.empty() ? why : StrCat(kernel.name, " does not work here: ", FirstLine(why));
}

std::vector<KernelFailure> KernelRegistry::Failures() const {
  std::vector<KernelFailure> all;
  for (const auto& backend : backends_) {
    for (KernelFailure& failure : backend->Failures()) all.push_back(std::move(failure));
  }
  return all;
}

const KernelCatalog& KernelRegistry::For(Policy::Activations activations) const {
  if (activations == Policy::Activations::kFloat) return float_activations_;
  return *this;
}

KernelAnswer KernelRegistry::FloatActivations::Find(const Node& node, Target target,
                                                    const SymbolRanges& symbols) const {
  return registry_->Find(node, target, symbols, Policy::Activations::kFloat);
}

std::vector<KernelFacts> KernelRegistry::FloatActivations::FindAll(
    const Node& node, Target target, const SymbolRanges& symbols) const {
  return registry_->FindAll(node, target, symbols, Policy::Activations::kFloat);
}

std::vector<RowLimits> KernelRegistry::FloatActivations::LimitsOf(const Node& node,
                                                                  Target target) const {
  return registry_->LimitsOf(node, target, Policy::Activations::kFloat);
}

KernelAnswer KernelRegistry::Find(const Node& node, Target target, const SymbolRanges& symbols,
                                  Policy::Activations activations) const {
  if (std::string why = WhyUnavailable(target); !why.empty()) return {std::nullopt, why};
  if (node.op().traits.view) return {KernelFacts{.name = std::string(kViewKernel)}, {}};
  int num_refused = 0;
  std::string refused;  // names of kernels that refused; they show the supported types
  std::string reason;
  std::string broken;  // why the kernel that would accept the node is unusable
  auto kernels = by_op_.find(&node.op());
  if (kernels != by_op_.end()) {
    for (const KernelInfo* info : kernels->second) {
      if (info->target != target || !Allows(activations, *info)) continue;
      Decision takes = Takes(*info, node, symbols);
      if (takes.accepted()) {
        Decision works = Works(*info);
        if (works.accepted()) return {FactsOf(*info, node, symbols), {}};
        broken = works.reason();
        continue;
      }
      StrAppend(&refused, num_refused++ == 0 ? "" : ", ", info->name);
      reason = takes.reason();
    }
  }
  if (!broken.empty()) return {std::nullopt, broken};
  if (num_refused == 0) {
    return {std::nullopt, StrCat("no ", Name(target), " kernel for ", node.op().name)};
  }
  if (num_refused == 1) return {std::nullopt, reason};
  return {std::nullopt, StrCat("none of ", refused, " accepts the node: ", reason)};
}

std::vector<KernelFacts> KernelRegistry::FindAll(const Node& node, Target target,
                                                 const SymbolRanges& symbols,
                                                 Policy::Activations activations) const {
  if (!WhyUnavailable(target).empty()) return {};
  if (node.op().traits.view) return {{.name = std::string(kViewKernel)}};
  std::vector<KernelFacts> found;
  auto kernels = by_op_.find(&node.op());
  if (kernels == by_op_.end()) return found;
  for (const KernelInfo* info : kernels->second) {
    if (info->target != target || !Allows(activations, *info)) continue;
    if (!Takes(*info, node, symbols).accepted() || !Works(*info).accepted()) continue;
    found.push_back(FactsOf(*info, node, symbols));
  }
  return found;
}

std::vector<RowLimits> KernelRegistry::LimitsOf(const Node& node, Target target,
                                                Policy::Activations activations) const {
  std::vector<RowLimits> limits;
  auto kernels = by_op_.find(&node.op());
  if (kernels == by_op_.end()) return limits;
  for (const KernelInfo* info : kernels->second) {
    if (info->target != target || !Allows(activations, *info)) continue;
    if (!Accepts(*info, node).accepted() || !Works(*info).accepted()) continue;
    limits.push_back({std::string(info->name), info->min_rows, info->max_rows});
  }
  return limits;
}

Decision KernelRegistry::Works(const KernelInfo& kernel) const {
  std::string why = WhyNot(kernel);
  return why.empty() ? Decision::Accept() : Decision::Reject(std::move(why));
}

const Backend* KernelRegistry::backend(Device device) const {
  CountLookup();
  for (const auto& backend : backends_) {
    if (backend->device() == device) return backend.get();
  }
  return nullptr;
}

const KernelInfo* KernelRegistry::kernel(std::string_view name) const {
  CountLookup();
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

const WeightLayout* KernelRegistry::layout(std::string_view name) const {
  for (const auto& backend : backends_) {
    for (const WeightLayout& layout : backend->layouts()) {
      if (layout.name == name) return &layout;
    }
  }
  return nullptr;
}

}  // namespace infer
