// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "backends/formats/dequantize_row.h"
#include "backends/simd/isa/linear_kernel.h"
#include "gtest/gtest.h"
#include "runtime/half.h"
#include "tests/backends/simd/runnable_levels.h"
#include "tests/support/kernel_harness.h"

namespace infer::simd {
namespace {

// Where the halves of a block are that scale it.
std::vector<size_t> ScaleOffsets(DType type) {
  switch (type) {
    case DType::kQ4_1:
    case DType::kQ5_1:
    case DType::kQ4_K:
    case DType::kQ5_K:
      return {0, 2};
    case DType::kQ2_K:
      return {80, 82};
    case DType::kQ3_K:
      return {108};
    case DType::kQ6_K:
      return {208};
    default:
      return {0};
  }
}

// Rows of any bytes with scales that are plain numbers, of both signs.
std::vector<std::byte> RandomRows(DType type, int64_t elements, uint32_t seed) {
  const DTypeInfo& info = Info(type);
  const std::vector<float> numbers = RandomFloats(elements * 4, seed);
  std::vector<std::byte> bytes(elements / info.block_elements * info.block_bytes);
  if (!IsQuantized(type)) {
    for (int64_t i = 0; i < elements; ++i) {
      const uint16_t half = type == DType::kF16 ? F32ToF16(numbers[i]) : F32ToBF16(numbers[i]);
      const void* from = type == DType::kF32 ? static_cast<const void*>(&numbers[i]) : &half;
      std::memcpy(bytes.data() + i * info.block_bytes, from, info.block_bytes);
    }
    return bytes;
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(std::bit_cast<uint32_t>(numbers[i]) >> 8 & 0xff);
  }
  for (size_t block = 0; block * info.block_bytes < bytes.size(); ++block) {
    std::byte* at = bytes.data() + block * info.block_bytes;
    if (type == DType::kMXFP4) {
      at[0] = static_cast<std::byte>(120 + block % 8);
      continue;
    }
    for (size_t offset : ScaleOffsets(type)) {
      const uint16_t half = F32ToF16(numbers[block * 2 + offset] * 0.01f);
      std::memcpy(at + offset, &half, 2);
    }
  }
  return bytes;
}

// What int8 rows stand for: the largest of 32 is 127, ties to even.
std::vector<float> RoundedToInt8(std::vector<float> x) {
  for (size_t block = 0; block < x.size(); block += 32) {
    float largest = 0;
    for (int i = 0; i < 32; ++i) largest = std::max(largest, std::abs(x[block + i]));
    const float scale = largest / 127.0f;
    for (int i = 0; i < 32; ++i) {
      x[block + i] = scale * std::nearbyint(x[block + i] * (1.0f / scale));
    }
  }
  return x;
}

struct Product {
  DType type;
  int64_t outputs, inner, tokens;
  std::vector<std::byte> weight;
  std::vector<float> x;

  Product(DType weight_type, int64_t rows, int64_t columns, int64_t count)
      : type(weight_type), outputs(rows), inner(columns), tokens(count) {
    weight = RandomRows(type, rows * columns, 11);
    x = RandomFloats(tokens * inner, 12);
  }

  // With the kernel of a level.
  std::vector<float> Run(const Level& level, const LinearKernel& kernel) const {
    const ActivationForm form = kernel.form(tokens);
    const ActivationMaker& maker = level.makers[static_cast<int>(form)];
    std::vector<std::byte> prepared;
    if (form != ActivationForm::kF32) {
      prepared.resize(maker.bytes(tokens, inner));
      for (int64_t unit = maker.units(tokens, inner); unit-- > 0;) {
        maker.prepare(x.data(), tokens, inner, unit, unit + 1, prepared.data());
      }
    }
    std::vector<std::byte> scratch(
        kernel.scratch_bytes == nullptr ? 0 : kernel.scratch_bytes(tokens, inner));
    std::vector<float> out(tokens * outputs, -1.0f);
    std::vector<std::byte> packed = weight;
    if (kernel.pack != nullptr) {
      // Panels are packed one by one, over bytes that must not matter.
      packed.assign(kernel.packed_bytes(outputs, inner), std::byte{0xA5});
      const int64_t panels = (outputs + kernel.panel_outputs - 1) / kernel.panel_outputs;
      for (int64_t panel = panels; panel-- > 0;) {
        kernel.pack(weight.data(), outputs, inner, panel, panel + 1, packed.data());
      }
    }
    const LinearCall call = {.weight = packed.data(),
                             .inner = inner,
                             .outputs = outputs,
                             .tokens = tokens,
                             .activations = form == ActivationForm::kF32
                                                ? reinterpret_cast<const std::byte*>(x.data())
                                                : prepared.data(),
                             .out = out.data(),
                             .out_stride = outputs,
                             .scratch = scratch.data()};
    for (int64_t begin = 0; begin < outputs; begin += kColumnGranule) {
      kernel.run(call, begin, std::min(begin + kColumnGranule, outputs));
    }
    return out;
  }

  void Expect(const std::vector<float>& out, const std::vector<float>& rounded,
              double tolerance = 1e-6) const {
    std::vector<float> row(inner);
    for (int64_t column = 0; column < outputs; ++column) {
      formats::DequantizeRow(type, weight.data() + column * formats::RowBytes(type, inner), inner,
                             row.data());
      for (int64_t token = 0; token < tokens; ++token) {
        double sum = 0, absolute = 1;
        for (int64_t i = 0; i < inner; ++i) {
          const double term = static_cast<double>(rounded[token * inner + i]) * row[i];
          sum += term;
          absolute += std::abs(term);
        }
        // Types with a minimum sum two parts that are larger than their difference.
        ASSERT_NEAR(out[token * outputs + column], sum, tolerance * absolute)
            << Name(type) << " " << outputs << "x" << inner << " token " << token << " of "
            << tokens << " column " << column;
      }
    }
  }
};

std::vector<Product> Products(DType type) {
  const int64_t block = Info(type).block_elements;
  std::vector<Product> products;
  for (int64_t tokens : {1, 2, 3, 4, 5, 7, 33}) products.emplace_back(type, 9, 2 * block, tokens);
  for (int64_t outputs : {1, 3, 4, 37}) products.emplace_back(type, outputs, 3 * block, 2);
  products.emplace_back(type, 5, 1024, 3);
  if (block == 1) products.emplace_back(type, 5, 1003, 3);
  return products;
}

TEST(LevelLinear, EveryTypeWithActivationsInInt8OrFloat) {
  for (const Level* level : RunnableLevels()) {
    for (DType type : formats::WeightTypes()) {
      const LinearKernel* kernel = level->linear(type);
      ASSERT_NE(kernel, nullptr) << level->name << Name(type);
      for (const Product& product : Products(type)) {
        const ActivationForm form = kernel->form(product.tokens);
        SCOPED_TRACE(level->name);
        if (form == ActivationForm::kInt8Rows || form == ActivationForm::kInt8Pairs) {
          product.Expect(product.Run(*level, *kernel), RoundedToInt8(product.x));
        } else if (form == ActivationForm::kF32) {
          product.Expect(product.Run(*level, *kernel), product.x);
        } else {
          product.Expect(product.Run(*level, *kernel), product.x, 8e-3);
        }
      }
    }
  }
}

TEST(LevelLinear, EveryTypeInTiles) {
  for (const Level* level : RunnableLevels()) {
    if (level->linear_tiles == nullptr) continue;
    for (DType type : formats::WeightTypes()) {
      const LinearKernel* kernel = level->linear_tiles(type);
      if (kernel == nullptr) continue;
      EXPECT_EQ(kernel->layout, level->linear(type)->layout);
      for (const Product& product : Products(type)) {
        SCOPED_TRACE(level->name);
        product.Expect(product.Run(*level, *kernel), product.x, 8e-3);
      }
    }
  }
}

// The rows of a product have the bits that they have alone.
TEST(LevelLinear, RowsDoNotDependOnOtherRowsInOneClass) {
  for (const Level* level : RunnableLevels()) {
    for (DType type : formats::WeightTypes()) {
      for (const LinearKernel* kernel :
           {level->linear(type),
            level->linear_invariant == nullptr ? nullptr : level->linear_invariant(type),
            level->linear_tiles == nullptr ? nullptr : level->linear_tiles(type)}) {
        if (kernel == nullptr || kernel->numerics == nullptr) continue;
        for (int64_t tokens : {2, 3, 4, 5, 6, 8, 9, 13, 16, 17, 35}) {
          if (kernel->numerics(1, tokens).empty()) continue;
          const Product product(type, 70, 256, tokens);
          const std::vector<float> together = product.Run(*level, *kernel);
          Product one(type, 70, 256, 1);
          for (int64_t token = 0; token < tokens; ++token) {
            one.x.assign(product.x.begin() + token * 256, product.x.begin() + (token + 1) * 256);
            const std::vector<float> alone = one.Run(*level, *kernel);
            ASSERT_EQ(0, std::memcmp(alone.data(), together.data() + token * 70, 70 * 4))
                << level->name << " " << Name(type) << " row " << token << " of " << tokens;
          }
        }
      }
    }
  }
}

TEST(LevelLinear, EveryTypeWithFloatActivations) {
  for (const Level* level : RunnableLevels()) {
    for (DType type : formats::WeightTypes()) {
      const LinearKernel* kernel = level->linear_float(type);
      ASSERT_NE(kernel, nullptr) << level->name << Name(type);
      for (const Product& product : Products(type)) {
        SCOPED_TRACE(level->name);
        product.Expect(product.Run(*level, *kernel), product.x);
      }
    }
  }
}

TEST(LevelLinear, ExtremeQuantsDoNotSaturate) {
  for (const Level* level : RunnableLevels()) {
    const LinearKernel* kernel = level->linear(DType::kQ8_0);
    if (kernel->form(1) != ActivationForm::kInt8Rows) continue;
    for (int8_t quant : {-128, 127}) {
      Product product(DType::kQ8_0, 4, 64, 1);
      for (std::byte& b : product.weight) b = static_cast<std::byte>(quant);
      for (size_t block = 0; block * 34 < product.weight.size(); ++block) {
        const uint16_t one = F32ToF16(1.0f);
        std::memcpy(product.weight.data() + block * 34, &one, 2);
      }
      product.x.assign(64, -127.0f);
      product.Expect(product.Run(*level, *kernel), product.x);
    }
  }
}

TEST(LevelLinear, NanInAnActivationReachesEveryColumn) {
  for (const Level* level : RunnableLevels()) {
    for (DType type : formats::WeightTypes()) {
      const LinearKernel* kernel = level->linear(type);
      if (!IsQuantized(type)) continue;
      Product product(type, 5, 256, 2);
      product.x[256 + 77] = std::numeric_limits<float>::quiet_NaN();
      const std::vector<float> out = product.Run(*level, *kernel);
      for (int64_t column = 0; column < 5; ++column) {
        EXPECT_FALSE(std::isnan(out[column])) << level->name << Name(type);
        EXPECT_TRUE(std::isnan(out[5 + column])) << level->name << Name(type);
      }
    }
  }
}

TEST(LevelLinear, UnknownTypeHasNone) {
  for (const Level* level : RunnableLevels()) {
    EXPECT_EQ(level->linear(DType::kIQ1_S), nullptr) << level->name;
    EXPECT_EQ(level->linear_float(DType::kIQ1_S), nullptr) << level->name;
  }
}

}  // namespace
}  // namespace infer::simd
