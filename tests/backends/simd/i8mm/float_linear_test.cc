// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "backends/formats/dequantize_row.h"
#include "backends/simd/i8mm/float_activations.h"
#include "backends/simd/i8mm/float_kernels.h"
#include "backends/simd/levels/levels.h"
#include "backends/simd/linear.h"
#include "runtime/half.h"
#include "tests/support/kernel_harness.h"

namespace infer::simd {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const ActivationMaker* MakerOf(ActivationForm form) {
  return form == ActivationForm::kF32 ? nullptr : &kI8mmLevel.makers[static_cast<int>(form)];
}

std::vector<std::byte> Encode(DType dtype, std::vector<float>* values) {
  std::vector<std::byte> bytes(values->size() * Info(dtype).block_bytes);
  for (size_t i = 0; i < values->size(); ++i) {
    float& value = (*values)[i];
    if (dtype == DType::kF32) {
      std::memcpy(&bytes[i * 4], &value, 4);
      continue;
    }
    const uint16_t bits = dtype == DType::kF16 ? F32ToF16(value) : F32ToBF16(value);
    std::memcpy(&bytes[i * 2], &bits, 2);
    value = dtype == DType::kF16 ? F16ToF32(bits) : BF16ToF32(bits);
  }
  return bytes;
}

// One product through the interface that the adapter uses.
struct Product {
  const LinearKernel* kernel;
  int64_t tokens, outputs, inner;
  std::vector<float> x = {};
  std::vector<std::byte> weight = {};  // the file's rows

  std::vector<std::byte> Packed() const {
    if (kernel->pack == nullptr) return weight;
    std::vector<std::byte> packed(kernel->packed_bytes(outputs, inner));
    const int64_t panels = (outputs + kernel->panel_outputs - 1) / kernel->panel_outputs;
    for (int64_t panel = 0; panel < panels; ++panel) {
      kernel->pack(weight.data(), outputs, inner, panel, panel + 1, packed.data());
    }
    return packed;
  }

  // Columns of neighbouring tokens have a gap of 3 between them, which stays as it is.
  std::vector<float> Run() const {
    const ActivationMaker* maker = MakerOf(kernel->form(tokens));
    std::vector<std::byte> prepared(maker == nullptr ? 0 : maker->bytes(tokens, inner));
    EXPECT_LE(prepared.size(), ActivationBytesBound(tokens, inner));
    for (int64_t unit = 0; maker != nullptr && unit < maker->units(tokens, inner); ++unit) {
      maker->prepare(x.data(), tokens, inner, unit, unit + 1, prepared.data());
    }
    std::vector<std::byte> scratch(
        kernel->scratch_bytes == nullptr ? 0 : kernel->scratch_bytes(tokens, inner));
    EXPECT_LE(scratch.size(), LinearScratchBound(inner));
    const int64_t stride = outputs + 3;
    std::vector<float> out(tokens * stride, 77.0f);
    const std::vector<std::byte> packed = Packed();
    const LinearCall call = {.weight = packed.data(),
                             .inner = inner,
                             .outputs = outputs,
                             .tokens = tokens,
                             .activations = maker == nullptr
                                                ? reinterpret_cast<const std::byte*>(x.data())
                                                : prepared.data(),
                             .out = out.data(),
                             .out_stride = stride,
                             .scratch = scratch.data()};
    for (int64_t column = 0; column < outputs; column += kColumnGranule) {
      kernel->run(call, column, std::min(outputs, column + kColumnGranule));
    }
    return out;
  }
};

// Root of the mean square difference from the exact products, relative to them.
double ErrorOf(const Product& p, const std::vector<float>& weights, const std::vector<float>& out) {
  const int64_t stride = p.outputs + 3;
  double difference = 0, size = 0;
  for (int64_t t = 0; t < p.tokens; ++t) {
    for (int64_t c = 0; c < p.outputs; ++c) {
      double exact = 0;
      for (int64_t i = 0; i < p.inner; ++i) {
        exact += double{p.x[t * p.inner + i]} * weights[c * p.inner + i];
      }
      difference += std::pow(out[t * stride + c] - exact, 2);
      size += exact * exact;
    }
    for (int64_t c = p.outputs; c < stride; ++c) EXPECT_EQ(out[t * stride + c], 77.0f);
  }
  return std::sqrt(difference / size);
}

struct FloatCase {
  DType dtype;
  int64_t tokens;
  float weight_scale;
  float token_scale;
  double bound;
};

class I8mmFloatLinear : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kI8mmLevel.runs_here()) GTEST_SKIP() << "this CPU has no " << kI8mmLevel.needs;
  }
  static std::vector<float> Scaled(std::vector<float> values, float scale) {
    for (float& value : values) value *= scale;
    return values;
  }
  static void Check(const FloatCase& c, int64_t outputs, int64_t inner) {
    std::vector<float> weights = Scaled(RandomFloats(outputs * inner, 3), c.weight_scale);
    Product p = {kI8mmLevel.linear(c.dtype), c.tokens, outputs, inner};
    p.weight = Encode(c.dtype, &weights);
    p.x = Scaled(RandomFloats(c.tokens * inner, 5), c.token_scale);
    EXPECT_LT(ErrorOf(p, weights, p.Run()), c.bound)
        << Name(c.dtype) << " tokens " << c.tokens << " outputs " << outputs << " inner " << inner;
  }
};

// What the README states: both sides in bf16 with 16-bit weights, in f32 otherwise.
double Bound(DType dtype) { return dtype == DType::kF32 ? 1e-6 : 4e-3; }

TEST_F(I8mmFloatLinear, IsNearTheExactProduct) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const int64_t tokens : {1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 29}) {
      Check({dtype, tokens, 0.02f, 1.0f, Bound(dtype)}, 48, 256);
    }
  }
}

TEST_F(I8mmFloatLinear, TakesAnyShape) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const int64_t tokens : {1, 2, 4, 7, 8, 13}) {
      for (const int64_t inner : {1, 7, 8, 33, 65, 1037, 2100}) {
        Check({dtype, tokens, 0.02f, 1.0f, 2 * Bound(dtype)}, inner > 1000 ? 35 : 67, inner);
      }
      Check({dtype, tokens, 0.02f, 1.0f, 2 * Bound(dtype)}, 1, 40);
    }
  }
}

TEST_F(I8mmFloatLinear, TakesAnyMagnitudeOfTheActivations) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    for (const int64_t tokens : {1, 3, 6, 12}) {
      for (const float scale : {1e-30f, 1e-20f, 1e6f, 1e20f, 1e34f}) {
        Check({dtype, tokens, 0.02f, scale, Bound(dtype)}, 32, 128);
      }
    }
  }
}

// bfmmla reads subnormals as zero, and f16 ones are ordinary small weights.
TEST_F(I8mmFloatLinear, TakesAnyMagnitudeOfHalfWeights) {
  for (const int64_t tokens : {1, 6, 12}) {
    for (const float scale : {1e-6f, 1e-5f, 1e-3f, 20.0f, 1e3f, 3e4f}) {
      Check({DType::kF16, tokens, scale, 1.0f, 4e-3}, 32, 128);
    }
  }
}

TEST_F(I8mmFloatLinear, InfinityAndNanReachTheirResultsAndNoOthers) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const int64_t tokens : {1, 4, 7, 13}) {
      for (const float bad : {kInf, -kInf, kNan}) {
        const int64_t outputs = 40, inner = 70, stride = outputs + 3;
        std::vector<float> weights = RandomFloats(outputs * inner, 3);
        weights[17 * inner + 66] = bad;
        Product p = {kI8mmLevel.linear(dtype), tokens, outputs, inner};
        p.weight = Encode(dtype, &weights);
        p.x = std::vector<float>(tokens * inner, 1.0f);
        if (tokens > 1) p.x[1 * inner + 3] = bad;
        const std::vector<float> out = p.Run();
        for (int64_t t = 0; t < tokens; ++t) {
          for (int64_t c = 0; c < outputs; ++c) {
            EXPECT_EQ(std::isfinite(out[t * stride + c]), t != 1 && c != 17)
                << Name(dtype) << " token " << t << " of " << tokens << " column " << c;
          }
        }
        if (!std::isnan(bad)) {
          EXPECT_EQ(out[17], bad);
        }
      }
    }
  }
}

TEST_F(I8mmFloatLinear, FloatActivationsAreExactForEveryWeightType) {
  for (const DType dtype : formats::WeightTypes()) {
    for (const int64_t tokens : {1, 2, 6}) {
      const int64_t outputs = 35, inner = 512;
      const uint64_t row_bytes = formats::RowBytes(dtype, inner);
      Product p = {kI8mmLevel.linear_float(dtype), tokens, outputs, inner};
      ASSERT_NE(p.kernel, nullptr) << Name(dtype);
      // Any bytes are blocks; 0x2c keeps their f16 scales small and finite.
      p.weight.resize(outputs * row_bytes);
      for (size_t i = 0; i < p.weight.size(); ++i) p.weight[i] = std::byte(0x2c ^ (i % 7));
      p.x = RandomFloats(tokens * inner, 5);
      std::vector<float> weights(outputs * inner);
      for (int64_t c = 0; c < outputs; ++c) {
        formats::DequantizeRow(dtype, p.weight.data() + c * row_bytes, inner, &weights[c * inner]);
      }
      EXPECT_LT(ErrorOf(p, weights, p.Run()), 2e-6) << Name(dtype) << " tokens " << tokens;
    }
  }
}

TEST_F(I8mmFloatLinear, HasNoFloatProductForOtherTypes) {
  EXPECT_EQ(kI8mmLevel.linear_float(DType::kI32), nullptr);
  EXPECT_EQ(kI8mmLevel.linear_float(DType::kIQ1_S), nullptr);
}

}  // namespace
}  // namespace infer::simd
