// SPDX-License-Identifier: Apache-2.0
//
// Reports what this machine can run programs on, and what was chosen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernel_registry.h"
#include "runtime/thread_count.h"
#include "tools/api/machine_memory.h"

namespace infer {

struct DeviceReport {
  struct TargetRow {
    std::string name;
    std::string device;   // "cpu", "metal"
    std::string why_not;  // empty if available
    int64_t kernels = 0;
    std::string description = {};  // limits of the device, if it has its own
    bool emulated = false;         // the device is only emulated by another
  };
  struct LevelRow {
    std::string name;
    std::string needs;  // CPU flags
    bool runs_here = false;
    bool in_use = false;
    std::string why_not;  // where the CPU has the flags and the system does not allow their use
  };
  // How the level in use rounds and adds: with one class, a row's bits are the same for any number
  // of rows.
  struct NumericsRow {
    std::string what;        // "products", "attention"
    std::string class_name;  // empty: the bits depend on the number of rows
    std::vector<std::string> types;
  };
  struct LayoutRow {
    std::string name;
    std::string variant;  // empty if kernels read the file's own rows here
  };

  std::string architecture;
  std::vector<std::string> cpu_features;
  std::string level;  // "scalar" if none is in use
  std::string level_reason;
  std::vector<LevelRow> levels;  // worst first
  std::vector<TargetRow> targets;
  std::vector<NumericsRow> numerics;
  std::vector<LayoutRow> layouts;
  std::string default_policy;
  ThreadLimits threads;
  MachineMemory memory;
};

DeviceReport DescribeDevices(const KernelRegistry& registry);

std::string ToText(const DeviceReport& report);
std::string ToJson(const DeviceReport& report);

}  // namespace infer
