// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a GGUF file: opened or refused with one line, and all that was opened can be read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "frontends/gguf/reader.h"
#include "frontends/gguf/weights.h"

namespace infer {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void ReadEverything(const std::shared_ptr<const GgufFile>& file) {
  for (const MetadataEntry& entry : file->metadata().entries()) {
    Require(file->metadata().Find(entry.key) == &entry);
    if (const auto* array = std::get_if<GgufArray>(&entry.value.data)) {
      const auto elements = ArrayElements("fuzz", *array, 1000);
      Require(elements.ok());
      Require(elements->size() <= array->count);
    }
  }
  const GgufWeights weights(file);
  const std::span<const std::byte> bytes = file->files()[0].bytes;
  for (const WeightInfo& weight : weights.weights()) {
    Require(weights.Find(weight.name) == &weight);
    Require(weights.Data(weight).size() == weight.bytes && weight.bytes <= bytes.size());
    weights.FullHash(weight);
    weights.SampleHash(weight);
  }
}

}  // namespace
}  // namespace infer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto file = infer::GgufFile::FromBytes("fuzz", bytes);
  if (file.ok()) {
    infer::ReadEverything(*file);
  } else {
    const absl::Status& status = file.status();
    infer::Require(absl::IsInvalidArgument(status) || absl::IsDataLoss(status));
    infer::Require(!status.message().empty());
    infer::Require(status.message().find('\n') == std::string_view::npos);
  }
  return 0;
}
