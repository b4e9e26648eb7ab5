// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/cuda/driver.h"

namespace infer::cuda {

inline constexpr double kGibibyte = 1 << 30;

// What reports and limits need to know about a card.
struct DeviceFacts {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  int driver_version = 0;    // 13000 is 13.0
  int max_shared_bytes = 0;  // of a block
  uint64_t total_bytes = 0;
  uint64_t free_bytes = 0;  // when it was opened
};

// "NVIDIA H200, compute capability 9.0, 139.8 GiB (139.2 free), driver for CUDA 13.0".
std::string ToText(const DeviceFacts& facts);

// The first card, with the context that all users in the process share.
class CudaDevice {
 public:
  // kUnavailable with the reason if there is no card that the kernels run on. `driver` must outlive
  // the device. A card with a higher major compute capability is used like one of `most_major`.0.
  static absl::StatusOr<std::shared_ptr<CudaDevice>> Open(
      const Driver& driver, int most_major = std::numeric_limits<int>::max());
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const Driver& driver() const { return driver_; }
  const DeviceFacts& facts() const { return facts_; }
  // Launches may begin before their predecessor has ended.
  bool has_dependent_launch() const {
    return facts_.major >= 9 && driver_.cuLaunchKernelEx != nullptr;
  }
  bool has_graphs() const { return driver_.cuGraphInstantiateWithFlags != nullptr; }

  // Every thread that calls the driver does so first.
  absl::Status MakeCurrent() const;
  absl::Status Check(Result result, const std::string& what) const {
    return result == kSuccess ? absl::OkStatus() : ToStatus(driver_, result, what);
  }

  // Work outside the queues of calls, which the driver does not order with them: Settle returns
  // when all of it is done. Rows of a cache are zeroed together then, because every call of the
  // driver takes a microsecond.
  void ZeroLater(DevicePtr at, uint64_t bytes);
  absl::Status StartZeroing();  // of all that waits for it
  void MarkUnsettled();
  absl::Status Settle();

 private:
  CudaDevice(const Driver& driver, DeviceNumber number) : driver_(driver), number_(number) {}

  const Driver& driver_;
  DeviceNumber number_;
  ContextHandle* context_ = nullptr;
  DeviceFacts facts_;
  std::mutex mutex_;  // guards the rest
  std::vector<std::pair<DevicePtr, uint64_t>> zeros_;
  bool unsettled_ = false;
};

}  // namespace infer::cuda
