// SPDX-License-Identifier: Apache-2.0
//
// How tests steer the software Metal device and ask what it saw. Everything else goes through the
// Metal API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/metal_emulation/runtime/group.h"

namespace infer::emulation {

inline constexpr char kDeviceName[] = "metal (CPU emulation, not a GPU)";

struct Settings {
  uint64_t max_buffer_length = uint64_t{1} << 34;
  uint64_t recommended_max_working_set_size = uint64_t{1} << 33;
  bool has_device = true;  // false: CreateSystemDefaultDevice() gives nullptr
  int apple_family = 7;    // the newest GPUFamilyApple<n> that the device supports
  // False: as on macOS 14, newResidencySet() fails, and buffers need not be resident.
  bool has_residency_sets = true;

  Order order = Order::kForward;           // of the threads of a group, and of groups
  Order dispatch_order = Order::kForward;  // of dispatches that no barrier separates
  uint32_t seed = 1;
  int workers = 0;  // OS threads of a dispatch; 0: one for each core, 4 at most

  // A command buffer runs when the host waits for it, so that a host that reads results without
  // waiting sees none. True: it runs within commit().
  bool run_at_commit = false;

  // Which bytes dispatches touch is recorded and checked. False: faster, and a conflict or an
  // access a little outside of a buffer is not seen.
  bool trace = true;

  // Function name -> the most threads that a group of its pipeline may have, as if the kernel used
  // many registers.
  std::map<std::string, int> max_threads;
  // Shader file without its ending ("embed") -> the text with which it fails to compile.
  std::map<std::string, std::string> library_failures;
  // Function name -> the text with which its pipeline fails to compile.
  std::map<std::string, std::string> pipeline_failures;
  // The n-th commit from now on fails with this text and code; 0: none does.
  int failing_commit = 0;
  std::string failing_commit_text = "injected failure";
  int failing_commit_code = 1;  // MTL::CommandBufferErrorInternal
};

// Of the whole process; change them while no other thread uses the device.
Settings& settings();

// Sets what it is given, and at its end what was before.
class ScopedSettings {
 public:
  explicit ScopedSettings(Settings changed);
  ~ScopedSettings();
  ScopedSettings(const ScopedSettings&) = delete;
  ScopedSettings& operator=(const ScopedSettings&) = delete;

 private:
  Settings before_;
};

// Misuse that no command buffer can report: a second release, an object autoreleased without a
// pool. Printed when it happens; the list is empty afterwards.
std::vector<std::string> TakeProblems();

// Objects of NS and MTL that exist now, "MTL::Buffer 'weights' (retain count 1)".
size_t LiveObjects();
std::vector<std::string> LiveObjectList();

// What has run since the program started.
struct Counters {
  uint64_t command_buffers = 0;
  uint64_t dispatches = 0;
  uint64_t barriers = 0;
  uint64_t pipelines = 0;
  uint64_t compiled_libraries = 0;  // from files, not from their source
  uint64_t residency_sets = 0;      // asked for, whether or not they were made
  uint64_t residency_requests = 0;
  // Residency sets that were on a queue and came to their end without ever being requested: their
  // first use wires the memory, at the expense of a token.
  uint64_t sets_never_requested = 0;
};
Counters counters();

}  // namespace infer::emulation
