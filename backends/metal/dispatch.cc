// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/dispatch.h"

#include <algorithm>

namespace infer::metal {
namespace {

struct Bytes {
  const std::byte* begin;
  const std::byte* end;
};

bool Overlaps(const Binding& binding, const std::vector<Bytes>& touched) {
  return std::ranges::any_of(touched, [&](const Bytes& bytes) {
    return std::max(binding.data, bytes.begin) < std::min(binding.data + binding.bytes, bytes.end);
  });
}

// The memory accessed by the dispatches since the last barrier. Weights are only read, so the lists
// that a reader is compared with stay as short as the run of dispatches that may overlap.
class Touched {
 public:
  bool Conflicts(const Dispatch& dispatch) const {
    return std::ranges::any_of(dispatch.bindings, [&](const Binding& binding) {
      return Overlaps(binding, written_) || (binding.writes && Overlaps(binding, read_));
    });
  }

  void Add(const Dispatch& dispatch) {
    for (const Binding& binding : dispatch.bindings) {
      (binding.writes ? written_ : read_).push_back({binding.data, binding.data + binding.bytes});
    }
  }

  void Clear() {
    written_.clear();
    read_.clear();
  }

 private:
  std::vector<Bytes> written_, read_;
};

}  // namespace

std::vector<bool> BarriersBefore(std::span<const Dispatch> dispatches) {
  std::vector<bool> barriers(dispatches.size());
  Touched touched;
  for (size_t i = 0; i < dispatches.size(); ++i) {
    barriers[i] = touched.Conflicts(dispatches[i]);
    if (barriers[i]) touched.Clear();
    touched.Add(dispatches[i]);
  }
  return barriers;
}

std::vector<size_t> CutCommandBuffers(std::span<const Dispatch> dispatches, uint64_t max_flops) {
  std::vector<size_t> cuts;
  uint64_t flops = 0;
  for (size_t i = 0; i < dispatches.size(); ++i) {
    if (i == 0 || (max_flops > 0 && flops + dispatches[i].flops > max_flops)) {
      cuts.push_back(i);
      flops = 0;
    }
    flops += dispatches[i].flops;
  }
  return cuts;
}

}  // namespace infer::metal
