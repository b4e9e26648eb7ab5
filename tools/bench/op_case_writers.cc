// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/base/status_macros.h"
#include "tools/bench/op_case.h"

namespace infer {
namespace {

// Gives 270 KB of weights for a row of 256: 16 copies exceed a second-level cache.
constexpr int64_t kWriterInner = 1024;

}  // namespace

absl::Status OpCase::AddWriters(const Request& request, const KernelRegistry& registry) {
  uint64_t stride = scratch_stride_;
  for (const Operand& input : shared_inputs_) {
    if (input.tensor.data == nullptr) continue;
    ASSIGN_OR_RETURN(std::unique_ptr<OpCase> writer,
                     Create({.op = "linear",
                             .shape = {.rows = input.tensor.rows(),
                                       .columns = input.tensor.columns(),
                                       .inner = kWriterInner,
                                       .type = DType::kQ8_0},
                             .target = request.writers_on,
                             .least_copies = request.least_copies},
                            registry));
    for (Copy& copy : writer->copies_) copy.outputs[0].tensor.data = input.tensor.data;
    stride = std::max(stride, writer->scratch_stride_);
    writers_.push_back(std::move(writer));
  }
  const int threads = registry.backend(DeviceOf(request.target))->threads();
  RETURN_IF_ERROR(SetScratch(stride, threads));
  for (const std::unique_ptr<OpCase>& writer : writers_) {
    RETURN_IF_ERROR(writer->SetScratch(stride, threads));
  }
  return absl::OkStatus();
}

absl::Status OpCase::SetScratch(uint64_t stride, int threads) {
  if (stride == scratch_stride_) return absl::OkStatus();
  ASSIGN_OR_RETURN(scratch_, ZeroedMemory::Create(stride * static_cast<uint64_t>(threads)));
  scratch_stride_ = stride;
  for (Copy& copy : copies_) copy.args->scratch = scratch_.data();
  return absl::OkStatus();
}

}  // namespace infer
