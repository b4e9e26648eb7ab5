// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_weights.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "ir/base/hash.h"
#include "ir/ops/attributes.h"
#include "runtime/half.h"

namespace infer::test {
namespace {

constexpr int64_t kQ8BlockElements = 32;

template <class T>
void Append(T value, std::vector<std::byte>* bytes) {
  size_t end = bytes->size();
  bytes->resize(end + sizeof(value));
  std::memcpy(bytes->data() + end, &value, sizeof(value));
}

}  // namespace

std::vector<std::byte> RandomBytesOf(DType dtype, int64_t elements, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto number = [&] { return static_cast<float>(random() % 4097) / 2048.0f - 1.0f; };
  std::vector<std::byte> bytes;
  if (dtype == DType::kQ8_0) {
    for (int64_t block = 0; block < elements / kQ8BlockElements; ++block) {
      Append(F32ToF16(number() / 128), &bytes);
      for (int64_t i = 0; i < kQ8BlockElements; ++i) {
        Append(static_cast<int8_t>(random() % 255 - 127), &bytes);
      }
    }
    return bytes;
  }
  for (int64_t i = 0; i < elements; ++i) {
    if (dtype == DType::kF16) {
      Append(F32ToF16(number()), &bytes);
    } else if (dtype == DType::kBF16) {
      Append(F32ToBF16(number()), &bytes);
    } else {
      Append(number(), &bytes);
    }
  }
  if (dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16) return bytes;
  ADD_FAILURE() << "no random numbers of type " << Name(dtype) << "; add it to random_weights.cc";
  return std::vector<std::byte>(BytesFor(dtype, static_cast<uint64_t>(elements)).value_or(0));
}

RandomWeights::RandomWeights(uint64_t seed) : seed_(seed) {
  ref_.files = {{"random.gguf", 0}};
  ref_.header_hash = std::string(32, '0');
}

void RandomWeights::AddWeightsOf(const Graph& graph) {
  for (const Node* node : graph.nodes()) {
    if (!node->op().traits.weight) continue;
    const std::string& name = WeightName(*node);
    if (Find(name) != nullptr) continue;
    const TensorType& type = node->result().type.tensor;
    WeightInfo info{.name = name, .dtype = type.dtype, .dims = {}, .offset = ref_.files[0].bytes};
    int64_t elements = 1;
    for (Dim dim : type.shape) {
      info.dims.push_back(dim.value());
      elements *= dim.value();
    }
    bytes_.push_back(RandomBytesOf(type.dtype, elements, Hasher().Add(name).Add(seed_).Finish()));
    info.bytes = bytes_.back().size();
    ref_.files[0].bytes += info.bytes;
    infos_.push_back(std::move(info));
  }
}

const WeightInfo* RandomWeights::Find(std::string_view name) const {
  for (const WeightInfo& info : infos_) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::span<const std::byte> RandomWeights::Data(const WeightInfo& weight) const {
  return bytes_[static_cast<size_t>(&weight - infos_.data())];
}

uint64_t RandomWeights::FullHash(const WeightInfo& weight) const {
  std::span<const std::byte> data = Data(weight);
  return Hasher().Add({reinterpret_cast<const char*>(data.data()), data.size()}).Finish();
}

}  // namespace infer::test
