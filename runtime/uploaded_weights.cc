// SPDX-License-Identifier: Apache-2.0
#include "runtime/uploaded_weights.h"

#include <span>
#include <utility>

#include "ir/base/status_macros.h"
#include "runtime/pack_jobs.h"

namespace infer {
namespace {

// A weight in the layout that one space needs.
struct Upload {
  const Weight* weight = nullptr;
  std::string layout;
  Device space = Device::kCpu;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

uint64_t AlignUp(uint64_t bytes) {
  return (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
}

absl::Status UploadOne(const Upload& upload, const KernelRegistry& registry,
                       const WeightSource& source, std::byte* to) {
  MemorySpace& space = registry.memory(upload.space);
  RETURN_IF_ERROR(CheckSource(*upload.weight, source));
  const std::span<const std::byte> rows = source.Data(*source.Find(upload.weight->name));
  const WeightLayout* layout = registry.layout(upload.layout);
  if (layout == nullptr || layout->pack == nullptr) return space.Upload(rows, to);
  const PackJob job{upload.weight, layout, 0, upload.bytes};
  std::vector<std::byte> packed(upload.bytes);
  layout->pack(rows.data(), job.rows(), job.columns(), 0, job.panels(), packed.data());
  return space.Upload(packed, to);
}

}  // namespace

absl::Status UploadedWeights::Add(const Program& program, const KernelRegistry& registry,
                                  const WeightSource& source, const std::set<std::string>& keep) {
  std::map<std::string_view, const Weight*> weights;
  for (const Weight& weight : program.weights) weights[weight.name] = &weight;
  std::set<std::tuple<std::string, std::string, Device>> wanted;
  for (const WeightRead& read : WeightReadsOf(program, registry)) {
    if (read.space == Device::kCpu || Find(read.weight, read.layout, read.space)) continue;
    wanted.insert({read.weight, read.layout, read.space});
  }
  std::vector<Upload> uploads;
  std::map<Device, uint64_t> bytes_in;
  for (const auto& [name, layout, space] : wanted) {
    const Weight& weight = *weights.at(name);
    const uint64_t bytes = PackedBytes(weight, layout, registry).value_or(weight.bytes);
    uploads.push_back({&weight, layout, space, bytes_in[space], bytes});
    bytes_in[space] += AlignUp(bytes);
  }
  std::map<Device, std::byte*> memory;
  std::vector<Part> parts;
  for (const auto& [space, bytes] : bytes_in) {
    ASSIGN_OR_RETURN(std::unique_ptr<SpaceMemory> made, registry.memory(space).Allocate(bytes));
    memory[space] = made->data();
    parts.push_back({space, std::move(made)});
  }
  for (const Upload& upload : uploads) {
    std::byte* to = memory.at(upload.space) + upload.offset;
    RETURN_IF_ERROR(UploadOne(upload, registry, source, to));
    if (!keep.contains(upload.weight->name)) source.Release(*source.Find(upload.weight->name));
  }
  RETURN_IF_ERROR(source.Check());
  for (const Upload& upload : uploads) {
    places_[{upload.weight->name, upload.layout, upload.space}] =
        memory.at(upload.space) + upload.offset;
  }
  for (Part& part : parts) parts_.push_back(std::move(part));
  return absl::OkStatus();
}

const std::byte* UploadedWeights::Find(const std::string& weight, const std::string& layout,
                                       Device space) const {
  auto found = places_.find({weight, layout, space});
  return found == places_.end() ? nullptr : found->second;
}

uint64_t UploadedWeights::bytes(Device space) const {
  uint64_t bytes = 0;
  for (const Part& part : parts_) {
    if (part.space == space) bytes += part.memory->bytes();
  }
  return bytes;
}

}  // namespace infer
