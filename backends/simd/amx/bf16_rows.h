// SPDX-License-Identifier: Apache-2.0
//
// ActivationForm::kBf16Tiles of AMX: 16 rows of 32 elements are one tile of 1 KiB; the tiles of 16
// rows lie side by side. Rows and elements past the last are zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/simd/isa/linear_kernel.h"

namespace infer::simd::INFER_SIMD_LEVEL {

extern const ActivationMaker kBf16TilesMaker;

namespace {

constexpr int64_t kTileRows = 16;
constexpr int64_t kTileElements = 32;
constexpr int64_t kTileBytes = 1024;

constexpr int64_t TilesOf(int64_t n, int64_t size) { return (n + size - 1) / size; }
// Bytes of 16 rows.
constexpr int64_t RowTileBytes(int64_t inner) { return TilesOf(inner, kTileElements) * kTileBytes; }

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
