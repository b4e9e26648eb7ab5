// SPDX-License-Identifier: Apache-2.0
#include "tools/devices/device_report.h"

#include <algorithm>

#include "backends/formats/dequantize_row.h"
#include "backends/simd/isa/attention_kernels.h"
#include "backends/simd/levels/choose_level.h"
#include "ir/base/strings.h"
#include "tools/api/compile_model.h"
#include "tools/cli/build_info.h"

namespace infer {
namespace {

DeviceReport::TargetRow DescribeTarget(Target target, const KernelRegistry& registry) {
  DeviceReport::TargetRow row;
  row.name = Name(target);
  row.device = Name(DeviceOf(target));
  const Backend* backend = registry.backend(DeviceOf(target));
  if (backend == nullptr) {
    row.why_not = registry.WhyUnavailable(target);
    return row;
  }
  row.emulated = backend->emulated();
  row.description = backend->Description();
  for (const KernelInfo& kernel : backend->kernels()) row.kernels += kernel.target == target;
  row.why_not = backend->WhyUnavailable(target);
  if (row.why_not.empty() && row.kernels == 0) row.why_not = "no kernels in this build";
  return row;
}

void DescribeLevels(DeviceReport* report) {
  const simd::LevelChoice& choice = simd::ChosenLevel();
  report->level = choice.level == nullptr ? "scalar" : choice.level->name;
  report->level_reason = choice.reason;
  for (const simd::Level* level : simd::AllLevels()) {
    if (level->is_for_tests && level != choice.level) continue;
    report->levels.push_back(
        {.name = std::string(level->name),
         .needs = std::string(level->needs),
         .runs_here = level->runs_here(),
         .in_use = level == choice.level,
         .why_not =
             std::string(level->why_not == nullptr ? std::string_view() : level->why_not())});
  }
}

void AddNumerics(std::string_view what, std::string_view class_name, DType type,
                 DeviceReport* report) {
  auto same = std::ranges::find_if(report->numerics, [&](const DeviceReport::NumericsRow& row) {
    return row.what == what && row.class_name == class_name;
  });
  if (same == report->numerics.end()) {
    same = report->numerics.insert(same, {std::string(what), std::string(class_name), {}});
  }
  same->types.emplace_back(Name(type));
}

void DescribeNumerics(DeviceReport* report) {
  const simd::Level* level = simd::ChosenLevel().level;
  if (level == nullptr) return;
  for (DType type : formats::WeightTypes()) {
    const simd::LinearKernel* kernel = level->linear(type);
    if (kernel == nullptr) continue;
    const auto numerics = [](const simd::LinearKernel& of) {
      return of.numerics == nullptr ? std::string_view() : of.numerics(1, kMaxDim);
    };
    AddNumerics("products", numerics(*kernel), type, report);
    const simd::LinearKernel* tiles =
        level->linear_tiles == nullptr ? nullptr : level->linear_tiles(type);
    if (tiles != nullptr) AddNumerics("tiles", numerics(*tiles), type, report);
  }
  for (DType type : {DType::kF32, DType::kF16, DType::kQ8_0}) {
    const simd::AttentionKernels* kernels = level->attention(type);
    if (kernels == nullptr) continue;
    AddNumerics("attention", kernels->many == nullptr ? "chunks" : "", type, report);
  }
}

}  // namespace

DeviceReport DescribeDevices(const KernelRegistry& registry) {
  DeviceReport report;
  report.architecture = CpuArchitecture();
  report.cpu_features = CpuFeatures();
  DescribeLevels(&report);
  DescribeNumerics(&report);
  for (const TargetRecord& record : kTargets) {
    if (record.is_special && registry.backend(record.device) == nullptr) continue;
    report.targets.push_back(DescribeTarget(record.target, registry));
  }
  if (const Backend* cpu = registry.backend(Device::kCpu)) {
    for (const WeightLayout& layout : cpu->layouts()) {
      report.layouts.push_back(
          {.name = std::string(layout.name),
           .variant = layout.pack == nullptr ? "" : std::string(layout.variant)});
    }
  }
  report.default_policy = DefaultPolicy();
  report.threads = ReadThreadLimits();
  report.memory = ReadMachineMemory();
  return report;
}

}  // namespace infer
