// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/api/device_lines.h"
#include "tools/devices/device_report.h"

namespace infer {
namespace {

constexpr double kGibibyte = 1 << 30;

std::string MemoryText(const MachineMemory& memory) {
  std::string text = "unknown";
  if (memory.total_bytes) text = absl::StrFormat("%.1f GiB", *memory.total_bytes / kGibibyte);
  if (memory.available_bytes) {
    absl::StrAppendFormat(&text, ", %.1f GiB available", *memory.available_bytes / kGibibyte);
  }
  if (memory.limit_bytes) {
    absl::StrAppendFormat(&text, ", limited to %.1f GiB by the control group",
                          *memory.limit_bytes / kGibibyte);
  }
  return text;
}

// Packed weights and the values of calls ask for huge pages.
std::string PagesText(const MachineMemory& memory) {
  const std::string size =
      memory.huge_page_bytes ? StrCat(" of ", *memory.huge_page_bytes >> 20, " MiB") : "";
  if (memory.huge_pages == "always") return StrCat("huge pages", size, " for all memory");
  if (memory.huge_pages == "madvise") {
    return StrCat("huge pages", size, " for packed weights and the values of calls");
  }
  return StrCat("no huge pages: /sys/kernel/mm/transparent_hugepage/enabled is '",
                memory.huge_pages, "'; packing is faster with 'madvise'");
}

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json ThreadsJson(const ThreadLimits& threads) {
  return {{"count", threads.Count()},
          {"derivation", threads.Derivation()},
          {"affinity", threads.affinity},
          {"fast_cores", OrNull(threads.fast_cores)},
          {"cgroup_quota", OrNull(threads.quota)}};
}

}  // namespace

std::string ToText(const DeviceReport& report) {
  std::string text =
      StrCat("cpu      ", report.architecture, ": ", absl::StrJoin(report.cpu_features, " "), "\n");
  StrAppend(&text, "threads  ", report.threads.Derivation(), "\n");
  StrAppend(&text, "memory   ", MemoryText(report.memory), "\n");
  if (!report.memory.huge_pages.empty()) {
    StrAppend(&text, "pages    ", PagesText(report.memory), "\n");
  }
  StrAppend(&text, "policy   ", report.default_policy, " unless --policy names another\n");
  StrAppend(&text, "level    ", report.level, ": ", report.level_reason, "\n");
  for (const DeviceReport::LevelRow& level : report.levels) {
    absl::StrAppendFormat(
        &text, "  %-10s %-14s needs %s\n", level.name,
        level.in_use ? "in use" : (level.runs_here ? "would run" : "does not run"), level.needs);
    if (!level.why_not.empty()) StrAppend(&text, "             ", level.why_not, "\n");
  }
  if (!report.numerics.empty()) text += "numerics\n";
  for (const DeviceReport::NumericsRow& row : report.numerics) {
    absl::StrAppendFormat(&text, "  %-10s %-9s %s\n", row.what,
                          row.class_name.empty() ? "by rows" : row.class_name,
                          absl::StrJoin(row.types, " "));
  }
  text += "targets\n";
  for (const DeviceReport::TargetRow& target : report.targets) {
    absl::StrAppendFormat(
        &text, "  %-10s on %-6s %s\n", target.name, DeviceName(target.device, target.emulated),
        target.why_not.empty() ? absl::StrFormat("available, %d kernels", target.kernels)
                               : "unavailable: " + target.why_not);
    if (!target.description.empty()) {
      absl::StrAppendFormat(&text, "  %-10s    %s\n", "", target.description);
    }
  }
  text += "weight layouts\n";
  for (const DeviceReport::LayoutRow& layout : report.layouts) {
    absl::StrAppendFormat(&text, "  %-14s %s\n", layout.name,
                          layout.variant.empty() ? "not packed here: the file's rows are read"
                                                 : "packed as " + layout.variant);
  }
  return text;
}

std::string ToJson(const DeviceReport& report) {
  Json levels = Json::array(), targets = Json::array(), layouts = Json::array();
  for (const DeviceReport::LevelRow& level : report.levels) {
    levels.push_back({{"name", level.name},
                      {"needs", level.needs},
                      {"runs_here", level.runs_here},
                      {"in_use", level.in_use},
                      {"why_not", level.why_not}});
  }
  for (const DeviceReport::TargetRow& target : report.targets) {
    targets.push_back({{"name", target.name},
                       {"device", target.device},
                       {"emulated", target.emulated},
                       {"available", target.why_not.empty()},
                       {"why_not", target.why_not},
                       {"description", target.description},
                       {"kernels", target.kernels}});
  }
  for (const DeviceReport::LayoutRow& layout : report.layouts) {
    layouts.push_back(
        {{"name", layout.name}, {"packed", !layout.variant.empty()}, {"variant", layout.variant}});
  }
  Json numerics = Json::array();
  for (const DeviceReport::NumericsRow& row : report.numerics) {
    numerics.push_back({{"what", row.what}, {"class", row.class_name}, {"types", row.types}});
  }
  Json json = {{"schema_version", 1},
               {"cpu", {{"architecture", report.architecture}, {"features", report.cpu_features}}},
               {"level", {{"name", report.level}, {"reason", report.level_reason}}},
               {"levels", levels},
               {"numerics", numerics},
               {"targets", targets},
               {"weight_layouts", layouts},
               {"default_policy", report.default_policy},
               {"threads", ThreadsJson(report.threads)},
               {"memory",
                {{"total_bytes", OrNull(report.memory.total_bytes)},
                 {"available_bytes", OrNull(report.memory.available_bytes)},
                 {"limit_bytes", OrNull(report.memory.limit_bytes)},
                 {"huge_page_bytes", OrNull(report.memory.huge_page_bytes)},
                 {"huge_pages", report.memory.huge_pages}}}};
  return JsonText(json, 2) + "\n";
}

}  // namespace infer
