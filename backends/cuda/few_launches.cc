// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/few_launches.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "ir/base/strings.h"

namespace infer::cuda {
namespace {

constexpr int64_t kWarps = kMatvecThreads / 32;
constexpr int64_t kOutputsOfWarp = 2;  // of products without tensor cores

// Tokens of a block: 1, 2, 4 or 8.
int64_t TokensOfBlock(int64_t tokens) {
  int64_t most = 1;
  while (most < 8 && most < tokens) most *= 2;
  return most;
}

}  // namespace

bool IsFew(const Product& product, const Batch& batch) {
  const auto is_packed = [](const TensorView& w) { return IsPacked(*FindWeight(w.dtype)); };
  const auto is_half = [](const TensorView& w) {
    return w.dtype == DType::kF16 || w.dtype == DType::kBF16;
  };
  return !product.invariant && !HasPrompt(batch) && product.tokens() <= int64_t{kFewTokens} &&
         product.columns() % int64_t{kFewColumns} == 0 &&
         (std::ranges::all_of(product.weights, is_packed) ||
          std::ranges::all_of(product.weights, is_half));
}

void AddMatvec(const WeightType& type, const Product& product, std::span<const int> group,
               const PrepareArgs& prepared, std::vector<Launch>& out) {
  const Parts parts = PartsOf(type, product, group, kWarps * kOutputsOfWarp);
  const int64_t of_block = TokensOfBlock(product.tokens());
  MatvecArgs args = {};
  std::ranges::copy(parts.parts, args.parts);
  args.x = prepared.normed == nullptr ? product.x.f32() : prepared.normed;
  args.factors = prepared.factors;
  args.residual = product.residual;
  args.rounded = prepared.rounded;
  args.num_parts = parts.count;
  args.tokens = static_cast<uint32_t>(product.tokens());
  args.columns = static_cast<uint32_t>(product.columns());
  AddLaunch(type.module, StrCat("matvec_", type.name, "_t", of_block), args,
            {parts.blocks, CeilDiv(product.tokens(), of_block)}, kMatvecThreads, 0, out);
}

void AddFew(const WeightType& type, const Product& product, std::span<const int> group,
            unsigned char* rows, const float* factors, std::vector<Launch>& out) {
  int64_t outputs = 0;
  for (int i : group) outputs += product.weights[i].rows();
  // Two blocks for each multiprocessor, so that each computes the next outputs while it waits.
  const int64_t of_block =
      CeilDiv(outputs, 2 * kMultiprocessors * kFewOutputs) * int64_t{kFewOutputs};
  const Parts parts = PartsOf(type, product, group, of_block);
  MatvecArgs args = {};
  std::ranges::copy(parts.parts, args.parts);
  args.factors = factors;
  args.residual = product.residual;
  args.rounded = rows;
  args.num_parts = parts.count;
  args.tokens = static_cast<uint32_t>(product.tokens());
  args.columns = static_cast<uint32_t>(product.columns());
  args.outputs_of_block = static_cast<uint32_t>(of_block);
  const int64_t tokens = std::max<int64_t>(8, std::bit_ceil(args.tokens));
  const uint64_t shared = static_cast<uint64_t>(kFewThreads / 32 * tokens * (kFewOutputs + 4)) * 4;
  AddLaunch(type.module, StrCat("few_", type.name, "_t", tokens), args, {parts.blocks}, kFewThreads,
            shared, out);
}

void AddMatvecs(const Product& product, bool tensor_cores, std::vector<Launch>& out) {
  const int64_t tokens = product.tokens(), columns = product.columns();
  bool rounds = false, floats = false;
  for (const TensorView& weight : product.weights) {
    (IsPacked(*FindWeight(weight.dtype)) ? rounds : floats) = true;
  }
  std::byte* at = product.workspace;
  const auto take = [&at](uint64_t bytes) { return std::exchange(at, at + Aligned(bytes)); };
  PrepareArgs prepare = {};
  prepare.x = product.x.f32();
  prepare.norm = product.norm;
  prepare.tokens = static_cast<uint32_t>(tokens);
  prepare.columns = static_cast<uint32_t>(columns);
  prepare.eps = product.eps;
  prepare.inverse_columns = 1.0f / static_cast<float>(columns);
  if (rounds) prepare.rounded = DeviceAddress<unsigned char>(take(Int8Bytes(tokens, columns)));
  if (product.norm != nullptr) {
    prepare.factors = DeviceAddress<float>(take(static_cast<uint64_t>(tokens) * sizeof(float)));
    if (floats) prepare.normed = DeviceAddress<float>(take(FloatBytes(tokens, columns)));
  }
  if (rounds || product.norm != nullptr) {
    AddLaunch("convert", "prepare_rows", prepare, {static_cast<uint32_t>(tokens)}, kStreamThreads,
              kStreamScratchBytes, out);
  }
  ForEachGroup(product, [&](const WeightType& type, const auto& group) {
    if (tensor_cores) {
      AddFew(type, product, group, prepare.rounded, prepare.factors, out);
    } else {
      AddMatvec(type, product, group, prepare, out);
    }
  });
}

}  // namespace infer::cuda
