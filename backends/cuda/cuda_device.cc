// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_device.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::cuda {
namespace {

constexpr int kLeastMajor = 8;  // mma.sync with 16 columns, cp.async

absl::Status Unavailable(const Driver& driver, Result result, const char* what) {
  if (result == kSuccess) return absl::OkStatus();
  return absl::UnavailableError(StrCat(what, ": ", TextOf(driver, result)));
}

}  // namespace

std::string ToText(const DeviceFacts& facts) {
  return absl::StrFormat(
      "%s, compute capability %d.%d, %d multiprocessors, %.1f GiB (%.1f free), driver for CUDA "
      "%d.%d",
      facts.name, facts.major, facts.minor, facts.multiprocessors, facts.total_bytes / kGibibyte,
      facts.free_bytes / kGibibyte, facts.driver_version / 1000, facts.driver_version % 1000 / 10);
}

absl::StatusOr<std::shared_ptr<CudaDevice>> CudaDevice::Open(const Driver& driver, int most_major) {
  int count = 0;
  RETURN_IF_ERROR(Unavailable(driver, driver.cuDeviceGetCount(&count), "counting the cards"));
  if (count == 0) return absl::UnavailableError("the system has no NVIDIA card");
  DeviceNumber number = 0;
  RETURN_IF_ERROR(Unavailable(driver, driver.cuDeviceGet(&number, 0), "opening card 0"));
  auto device = std::shared_ptr<CudaDevice>(new CudaDevice(driver, number));
  DeviceFacts& facts = device->facts_;
  char name[256] = {};
  driver.cuDeviceGetName(name, sizeof name - 1, number);
  facts.name = name;
  driver.cuDriverGetVersion(&facts.driver_version);
  driver.cuDeviceGetAttribute(&facts.major, kComputeMajor, number);
  driver.cuDeviceGetAttribute(&facts.minor, kComputeMinor, number);
  driver.cuDeviceGetAttribute(&facts.multiprocessors, kMultiprocessors, number);
  driver.cuDeviceGetAttribute(&facts.max_shared_bytes, kMaxSharedOptin, number);
  if (facts.major > most_major) {
    facts.major = most_major;
    facts.minor = 0;
  }
  if (facts.major < kLeastMajor) {
    return absl::UnavailableError(StrCat(facts.name, " has compute capability ", facts.major, ".",
                                         facts.minor, "; the kernels need ", kLeastMajor,
                                         ".0 or later"));
  }
  RETURN_IF_ERROR(Unavailable(driver, driver.cuDevicePrimaryCtxRetain(&device->context_, number),
                              "starting to use the card"));
  RETURN_IF_ERROR(device->MakeCurrent());
  size_t free = 0, total = 0;
  RETURN_IF_ERROR(Unavailable(driver, driver.cuMemGetInfo_v2(&free, &total), "asking for memory"));
  facts.free_bytes = free;
  facts.total_bytes = total;
  return device;
}

CudaDevice::~CudaDevice() {
  if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease_v2(number_);
}

void CudaDevice::ZeroLater(DevicePtr at, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  zeros_.emplace_back(at, bytes);
}

void CudaDevice::MarkUnsettled() {
  const std::lock_guard lock(mutex_);
  unsettled_ = true;
}

absl::Status CudaDevice::StartZeroing() {
  const std::lock_guard lock(mutex_);
  std::ranges::sort(zeros_);
  for (size_t i = 0; i < zeros_.size();) {
    const auto [at, bytes] = zeros_[i];
    // Rows of the same length at the same distance from each other.
    size_t end = i + 1;
    const uint64_t stride = end < zeros_.size() ? zeros_[end].first - at : bytes;
    while (end < zeros_.size() && stride >= bytes && zeros_[end].second == bytes &&
           zeros_[end].first == at + (end - i) * stride) {
      ++end;
    }
    RETURN_IF_ERROR(Check(driver_.cuMemsetD2D8_v2(at, std::max(stride, bytes), 0, bytes, end - i),
                          "zeroing memory"));
    unsettled_ = true;
    i = end;
  }
  zeros_.clear();
  return absl::OkStatus();
}

absl::Status CudaDevice::Settle() {
  RETURN_IF_ERROR(StartZeroing());
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(unsettled_, false)) return absl::OkStatus();
  }
  return Check(driver_.cuStreamSynchronize(nullptr), "zeroing and copying memory");
}

absl::Status CudaDevice::MakeCurrent() const {
  return Check(driver_.cuCtxSetCurrent(context_), "making the card current");
}

}  // namespace infer::cuda
