// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/device_classes.h"

#include <iterator>

namespace infer::metal {
namespace {

constexpr DeviceClass kClasses[] = {
#define INFER_DEVICE_CLASS(name, text, matrix_rows, tile_queries, placement_rows, gflop) \
  {name, matrix_rows, tile_queries, placement_rows, uint64_t{gflop} * 1'000'000'000},
#include "backends/metal/device_classes.def"
#undef INFER_DEVICE_CLASS
};

constexpr std::string_view kTexts[] = {
#define INFER_DEVICE_CLASS(name, text, matrix_rows, tile_queries, placement_rows, gflop) text,
#include "backends/metal/device_classes.def"
#undef INFER_DEVICE_CLASS
};

static_assert(kTexts[std::size(kTexts) - 1].empty(), "the last class must match every device");

}  // namespace

std::span<const DeviceClass> DeviceClasses() { return kClasses; }

const DeviceClass& FindDeviceClass(std::string_view device_name) {
  for (size_t i = 0; i + 1 < std::size(kClasses); ++i) {
    if (device_name.find(kTexts[i]) != std::string_view::npos) return kClasses[i];
  }
  return kClasses[std::size(kClasses) - 1];
}

}  // namespace infer::metal
