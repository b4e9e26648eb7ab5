// SPDX-License-Identifier: Apache-2.0
#include "runtime/uploaded_weights.h"

#include <string_view>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/pack_jobs.h"

namespace infer {
namespace {

struct Upload {
  const Weight* weight = nullptr;
  std::string layout;
  std::shared_ptr<MemorySpace> space;
  uint64_t offset = 0;  // in the memory that is allocated for the space
  uint64_t bytes = 0;
};

constexpr int64_t kPackParts = 64;  // more than most machines have threads

uint64_t AlignUp(uint64_t bytes) {
  return (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
}

// Copies a weight as the file stores it, or packs it into `packed` first, on the threads of the
// cpu.
absl::Status CopyWeight(const Upload& upload, std::span<const std::byte> rows,
                        const KernelRegistry& registry, std::vector<std::byte>& packed,
                        std::byte* to) {
  const WeightLayout* layout = registry.layout(upload.layout);
  if (layout == nullptr || layout->pack == nullptr) return upload.space->Upload(rows, to);
  packed.resize(upload.bytes);
  const PackJob job = {upload.weight, layout, 0, upload.bytes};
  const uint64_t matrix_bytes = rows.size() / static_cast<uint64_t>(job.matrices());
  const int64_t panels = job.panels();
  const int64_t parts = std::min<int64_t>(panels, kPackParts);
  for (int64_t matrix = 0; matrix < job.matrices(); ++matrix) {
    registry.backend(Device::kCpu)->For(parts, [&](int64_t part) {
      layout->pack(rows.data() + matrix_bytes * static_cast<uint64_t>(matrix), job.rows(),
                   job.columns(), panels * part / parts, panels * (part + 1) / parts,
                   packed.data() + job.matrix_offset(matrix));
    });
  }
  return upload.space->Upload({packed.data(), upload.bytes}, to);
}

}  // namespace

absl::Status UploadedWeights::Add(const Program& program, const KernelRegistry& registry,
                                  const WeightSource& source, const std::set<std::string>& keep) {
  std::map<std::string_view, const Weight*> weights;
  for (const Weight& weight : program.weights) weights[weight.name] = &weight;
  std::set<std::tuple<std::string, std::string, Device>> wanted;
  for (const WeightRead& read : WeightReadsOf(program, registry)) {
    if (read.space == Device::kCpu) continue;
    if (Find(read.weight, read.layout, registry.memory(read.space).get()) != nullptr) continue;
    wanted.insert({read.weight, read.layout, read.space});
  }
  std::vector<Upload> uploads;
  std::map<std::shared_ptr<MemorySpace>, uint64_t> bytes_in;
  for (const auto& [name, layout, device] : wanted) {
    const std::shared_ptr<MemorySpace> space = registry.memory(device);
    const Weight& weight = *weights.at(name);
    const uint64_t bytes = PackedBytes(weight, layout, registry).value_or(weight.bytes);
    uploads.push_back({&weight, layout, space, bytes_in[space], bytes});
    bytes_in[space] += AlignUp(bytes);
  }
  std::map<const MemorySpace*, std::byte*> memory;
  std::vector<Part> parts;
  for (const auto& [space, bytes] : bytes_in) {
    ASSIGN_OR_RETURN(std::unique_ptr<SpaceMemory> made, space->Allocate(bytes));
    memory[space.get()] = made->data();
    parts.push_back({space, std::move(made)});
  }
  std::vector<std::byte> packed;  // of one weight at a time
  for (const Upload& upload : uploads) {
    RETURN_IF_ERROR(CheckSource(*upload.weight, source));
    const WeightInfo& info = *source.Find(upload.weight->name);
    std::byte* to = memory.at(upload.space.get()) + upload.offset;
    RETURN_IF_ERROR(CopyWeight(upload, source.Data(info), registry, packed, to));
    if (!keep.contains(upload.weight->name)) source.Release(info);
  }
  RETURN_IF_ERROR(source.Check());
  for (const Upload& upload : uploads) {
    const MemorySpace* space = upload.space.get();
    places_[{upload.weight->name, upload.layout, space}] = memory.at(space) + upload.offset;
  }
  for (Part& part : parts) parts_.push_back(std::move(part));
  return absl::OkStatus();
}

const std::byte* UploadedWeights::Find(const std::string& weight, const std::string& layout,
                                       const MemorySpace* space) const {
  auto found = places_.find({weight, layout, space});
  return found == places_.end() ? nullptr : found->second;
}

}  // namespace infer
