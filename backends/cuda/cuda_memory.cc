// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_memory.h"

#include <algorithm>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::cuda {
namespace {

class Allocation : public SpaceMemory {
 public:
  Allocation(std::shared_ptr<CudaDevice> device, DevicePtr address, uint64_t bytes)
      : device_(std::move(device)), address_(address), bytes_(bytes) {}
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  ~Allocation() override {
    device_->MakeCurrent().IgnoreError();
    device_->Settle().IgnoreError();  // parts of it may be about to be zeroed
    device_->driver().cuMemFree_v2(address_);
  }
  std::byte* data() const override { return reinterpret_cast<std::byte*>(address_); }
  uint64_t bytes() const override { return bytes_; }

 private:
  std::shared_ptr<CudaDevice> device_;
  DevicePtr address_;
  uint64_t bytes_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SpaceMemory>> CudaMemory::Allocate(uint64_t bytes) {
  RETURN_IF_ERROR(device_->MakeCurrent());
  const Driver& driver = device_->driver();
  const uint64_t size = std::max<uint64_t>(bytes, 1);  // still needs an address
  DevicePtr address = 0;
  RETURN_IF_ERROR(device_->Check(driver.cuMemAlloc_v2(&address, size),
                                 StrCat("allocating ", size, " bytes on the card")));
  auto memory = std::make_unique<Allocation>(device_, address, size);
  device_->MarkUnsettled();
  RETURN_IF_ERROR(device_->Check(driver.cuMemsetD8_v2(address, 0, size), "zeroing memory"));
  return memory;
}

absl::Status CudaMemory::Upload(std::span<const std::byte> from, std::byte* to) {
  RETURN_IF_ERROR(device_->MakeCurrent());
  device_->MarkUnsettled();
  return device_->Check(device_->driver().cuMemcpyHtoD_v2(AddressOf(to), from.data(), from.size()),
                        StrCat("copying ", from.size(), " bytes to the card"));
}

// A failure leaves the card unusable, and the next call reports it.
void CudaMemory::Copy(const std::byte* from, std::byte* to, uint64_t bytes) {
  device_->MakeCurrent().IgnoreError();
  device_->StartZeroing().IgnoreError();  // what is copied must not be zeroed afterwards
  device_->MarkUnsettled();
  device_->driver().cuMemcpyDtoD_v2(AddressOf(to), AddressOf(from), bytes);
}

void CudaMemory::Zero(std::byte* at, uint64_t bytes) { device_->ZeroLater(AddressOf(at), bytes); }

}  // namespace infer::cuda
