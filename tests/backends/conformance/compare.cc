// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/conformance/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backends/formats/dequantize_row.h"
#include "backends/simd/isa/attention_kernels.h"
#include "backends/simd/levels/choose_level.h"
#include "gtest/gtest.h"
#include "ir/base/strings.h"
#include "tests/backends/conformance/expert_tolerance.h"
#include "tests/backends/conformance/fused_tolerance.h"
#include "tests/backends/conformance/product_tolerance.h"
#include "tests/backends/conformance/tolerances.h"

namespace infer::conformance {
namespace {

constexpr int kShown = 5;  // elements of a result that a failure prints

// Allowed error of each element; for products the standard deviation too.
struct Allowed {
  std::vector<double> error;
  std::vector<double> sigmas = {};
};

const Tolerance* FindTolerance(const OpDef& op, int result) {
  for (const Tolerance& tolerance : kTolerances) {
    if (tolerance.op == &op && tolerance.result == result) return &tolerance;
  }
  ADD_FAILURE() << "tolerances.h has no line for result " << result << " of " << op.name;
  return nullptr;
}

int64_t Columns(const TestTensor& tensor, const SymbolValues& symbols) {
  return tensor.type.rank() == 0 ? 1 : tensor.type.dim(-1).At(symbols);
}

double LargestInCache(const CaseData& data) {
  const TestCache& cache = *data.cache;
  const int64_t elements = static_cast<int64_t>(cache.v.size()) / Info(cache.dtype).block_bytes *
                           Info(cache.dtype).block_elements;
  std::vector<float> values(elements);
  formats::DequantizeRow(cache.dtype, cache.v.data(), elements, values.data());
  double largest = 0;
  for (float value : values) largest = std::max<double>(largest, std::fabs(value));
  return largest;
}

// Length of the pair that element `i` belongs to.
// Whether the case rotates pairs of neighbours.
bool IsAdjacent(const ConformanceCase& c) {
  for (size_t i = 0; i < c.attrs.size(); ++i) {
    if (c.op->attrs[i].name == "adjacent") return std::get<bool>(c.attrs[i]);
  }
  return false;
}

double PairLength(const std::vector<float>& x, int64_t at, int64_t columns, bool adjacent) {
  const int64_t column = at % columns, half = columns / 2;
  const int64_t other = adjacent ? at + 1 - 2 * (column % 2) : at + (column < half ? half : -half);
  return std::hypot(x[at], x[other]);
}

// To what the attention of this kernel rounds with that many tokens.
std::string_view AttentionRoundsTo(const KernelInfo& kernel, const CaseData& data) {
  const simd::Level* level = simd::ChosenLevel().level;
  if (level == nullptr) return "f32";
  const bool invariant = kernel.name.find("_invariant_") != std::string_view::npos;
  const auto attention = invariant ? level->attention_invariant : level->attention;
  const simd::AttentionKernels* kernels =
      attention == nullptr ? nullptr : attention(data.cache->dtype);
  if (kernels == nullptr) return "f32";
  const bool many = kernels->many != nullptr && data.symbols.t >= kernels->many_from;
  return many ? "bf16" : kernels->rounds_to;
}

double VisibleUnits(const Tolerance& tolerance, const CaseData& data, const KernelInfo& kernel) {
  if (kernel.target == Target::kMetal) return tolerance.units;  // floats, whatever the cache
  // Floats too, but for many tokens of a sequence, where tensor cores multiply f16.
  if (kernel.target == Target::kCuda) {
    return kernel.rounds_activations ? kF16Attention / kUnit : tolerance.units;
  }
  const std::string_view rounds_to = AttentionRoundsTo(kernel, data);
  if (rounds_to == "bf16") return kBf16Attention / kUnit;
  if (rounds_to == "f16") return kF16Attention / kUnit;
  return data.cache->dtype == DType::kQ8_0 ? kQ8_0Attention / kUnit : tolerance.units;
}

Allowed ProductAllowed(const ConformanceCase& c, const CaseData& data, const KernelInfo& kernel,
                       int result) {
  Allowed allowed;
  const TestTensor& x = data.inputs[0].tensor;
  const TestTensor& w = data.inputs[1 + result].tensor;
  const bool rounds = kernel.rounds_activations;
  if (c.op == &ops::kMatmul) {
    allowed.sigmas = MatmulSigmas(x, w, data.symbols);
  } else if (c.op == &ops::kExpertLinear) {
    allowed.sigmas = ExpertSigmas(x, w, data.inputs[2].tensor, data.symbols, rounds);
  } else if (c.op == &ops::kExpertSwiglu) {
    allowed.sigmas = ExpertSwigluSigmas(data, rounds);
  } else if (c.op == &ops::kLinearAdd) {
    allowed.sigmas = LinearAddSigmas(data, rounds);
  } else if (c.op == &ops::kNormLinear) {
    allowed.sigmas = NormLinearSigmas(data, result, rounds);
  } else if (c.op == &ops::kNormSwiglu) {
    allowed.sigmas = NormSwigluSigmas(data, rounds);
  } else {
    allowed.sigmas = ProductSigmas(x, w, data.symbols, rounds);
  }
  for (double sigma : allowed.sigmas) allowed.error.push_back(kSigmas * sigma + kFloor);
  return allowed;
}

Allowed AllowedFor(const ConformanceCase& c, const CaseData& data, const KernelInfo& kernel,
                   int result, const TestTensor& tensor, const Tolerance& tolerance) {
  if (tolerance.measure == Measure::kProduct) return ProductAllowed(c, data, kernel, result);
  const std::vector<float> expected = tensor.floats();
  const int64_t columns = Columns(tensor, data.symbols);
  const int64_t summed = c.args[0].shape.dim(-1).At(data.symbols);
  const double units =
      tolerance.units + tolerance.units_per_sqrt * std::sqrt(static_cast<double>(summed));
  const bool adjacent = IsAdjacent(c);
  Allowed allowed;
  if (tolerance.measure == Measure::kVisible) {
    const double error = kUnit * VisibleUnits(tolerance, data, kernel) * LargestInCache(data);
    allowed.error.assign(expected.size(), error + kFloor);
    return allowed;
  }
  if (tolerance.measure == Measure::kTerms) {
    for (double sum : CombineSums(data)) allowed.error.push_back(kUnit * units * sum + kFloor);
    return allowed;
  }
  for (int64_t i = 0; i < static_cast<int64_t>(expected.size()); ++i) {
    double scale = std::fabs(expected[i]);
    if (tolerance.measure == Measure::kPair) scale = PairLength(expected, i, columns, adjacent);
    if (tolerance.measure == Measure::kAddend) {
      scale = std::max(scale, std::fabs(std::get<double>(c.attrs[0])));
    }
    allowed.error.push_back(kUnit * units * scale + kFloor);
  }
  return allowed;
}

void ExpectSameBits(const TestTensor& found, const TestTensor& expected, const std::string& what) {
  if (expected.type.tensor.dtype != DType::kF32) {
    EXPECT_EQ(found.ints(), expected.ints()) << what;
    return;
  }
  const std::vector<float> f = found.floats(), e = expected.floats();
  int shown = 0;
  for (size_t i = 0; i < e.size() && shown < kShown; ++i) {
    if (std::isnan(f[i]) && std::isnan(e[i])) continue;
    if (std::memcmp(&f[i], &e[i], sizeof(float)) == 0) continue;
    ADD_FAILURE() << what << ", element " << i << ": " << f[i] << ", scalar has " << e[i];
    ++shown;
  }
}

void ExpectNear(const std::vector<float>& found, const std::vector<float>& expected,
                const Allowed& allowed, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  int shown = 0;
  double squares = 0, variance = 0, worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double error = std::fabs(static_cast<double>(found[i]) - expected[i]);
    const bool finite = std::isfinite(expected[i]);
    if (std::isfinite(found[i]) != finite || (finite && !(error <= allowed.error[i]))) {
      if (shown++ >= kShown) continue;
      ADD_FAILURE() << what << ", element " << i << ": " << found[i] << ", scalar has "
                    << expected[i] << ", allowed is " << allowed.error[i];
    }
    if (finite) worst = std::max(worst, error / allowed.error[i]);
    if (!finite || allowed.sigmas.empty()) continue;
    squares += error * error;
    variance += allowed.sigmas[i] * allowed.sigmas[i];
  }
  // How much of its tolerance a kernel uses; --gtest_output=json:FILE shows it.
  ::testing::Test::RecordProperty(what, std::to_string(worst));
  EXPECT_LE(shown, kShown) << what << ": " << shown << " elements in all";
  constexpr size_t kEnough = 64;  // elements for a root mean square to mean something
  if (expected.size() >= kEnough && !allowed.sigmas.empty()) {
    EXPECT_LE(std::sqrt(squares), kRmsSigmas * std::sqrt(variance) + kFloor)
        << what << ": as a root mean square";
  }
}

// The elements of a cache and how far each may be off.
void ExpectCacheNear(const TestCache& found, const TestCache& expected,
                     const std::vector<std::byte> TestCache::* part, const std::string& what) {
  const DType type = expected.dtype;
  const int64_t block = Info(type).block_elements;
  const int64_t elements =
      static_cast<int64_t>((expected.*part).size()) / Info(type).block_bytes * block;
  std::vector<float> f(elements), e(elements);
  formats::DequantizeRow(type, (found.*part).data(), elements, f.data());
  formats::DequantizeRow(type, (expected.*part).data(), elements, e.data());
  Allowed allowed;
  for (int64_t i = 0; i < elements; ++i) {
    double largest = 0;
    const int64_t head = i / expected.head_dim * expected.head_dim;
    for (int64_t j = 0; j < expected.head_dim; ++j) {
      largest = std::max<double>(largest, std::fabs(e[head + j]));
    }
    double error = 64 * kUnit * largest;  // a norm and a rotation
    if (type == DType::kF16) error += kCacheF16 * std::fabs(e[i]) + 0x1p-24;
    if (type == DType::kQ8_0) error += kCacheQ8_0 * largest;
    allowed.error.push_back(error + kFloor);
  }
  ExpectNear(f, e, allowed, what);
}

}  // namespace

void ExpectConforms(const ConformanceCase& c, const CaseData& data, const KernelInfo& kernel,
                    const CaseResult& found, const CaseResult& expected) {
  ASSERT_EQ(found.tensors.size(), expected.tensors.size());
  for (int i = 0; i < static_cast<int>(expected.tensors.size()); ++i) {
    const std::string what = StrCat(kernel.name, ", result ", i);
    const Tolerance* tolerance = FindTolerance(*c.op, i);
    if (tolerance == nullptr) continue;
    if (tolerance->measure == Measure::kExact) {
      ExpectSameBits(found.tensors[i], expected.tensors[i], what);
    } else {
      ExpectNear(found.tensors[i].floats(), expected.tensors[i].floats(),
                 AllowedFor(c, data, kernel, i, expected.tensors[i], *tolerance), what);
    }
  }
  if (!expected.cache) return;
  if (c.op == &ops::kAttentionInputs || c.op == &ops::kSelfAttention) {
    ExpectCacheNear(*found.cache, *expected.cache, &TestCache::k, StrCat(kernel.name, ", keys"));
  } else {
    EXPECT_EQ(found.cache->k, expected.cache->k) << kernel.name << ": keys";
  }
  EXPECT_EQ(found.cache->v, expected.cache->v) << kernel.name << ": values";
}

}  // namespace infer::conformance
