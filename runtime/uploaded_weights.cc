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
};

uint64_t AlignUp(uint64_t bytes) {
  return (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
}

}  // namespace

absl::Status UploadedWeights::Add(const Program& program, const KernelRegistry& registry,
                                  const WeightSource& source, const std::set<std::string>& keep) {
  std::map<std::string_view, const Weight*> weights;
  for (const Weight& weight : program.weights) weights[weight.name] = &weight;
  std::set<std::tuple<std::string, std::string, Device>> wanted;
  for (const WeightRead& read : WeightReadsOf(program, registry)) {
    if (read.space == Device::kCpu) continue;
    const Weight& weight = *weights.at(read.weight);
    if (PackedBytes(weight, read.layout, registry)) {
      return absl::UnimplementedError(StrCat("weight ", weight.name, " in the layout ", read.layout,
                                             ": weights in the memory of ", Name(read.space),
                                             " can only have the layout of the file"));
    }
    if (Find(read.weight, read.layout, registry.memory(read.space).get()) != nullptr) continue;
    wanted.insert({read.weight, read.layout, read.space});
  }
  std::vector<Upload> uploads;
  std::map<std::shared_ptr<MemorySpace>, uint64_t> bytes_in;
  for (const auto& [name, layout, device] : wanted) {
    const std::shared_ptr<MemorySpace> space = registry.memory(device);
    const Weight& weight = *weights.at(name);
    uploads.push_back({&weight, layout, space, bytes_in[space]});
    bytes_in[space] += AlignUp(weight.bytes);
  }
  std::map<const MemorySpace*, std::byte*> memory;
  std::vector<Part> parts;
  for (const auto& [space, bytes] : bytes_in) {
    ASSIGN_OR_RETURN(std::unique_ptr<SpaceMemory> made, space->Allocate(bytes));
    memory[space.get()] = made->data();
    parts.push_back({space, std::move(made)});
  }
  for (const Upload& upload : uploads) {
    RETURN_IF_ERROR(CheckSource(*upload.weight, source));
    const WeightInfo& info = *source.Find(upload.weight->name);
    std::byte* to = memory.at(upload.space.get()) + upload.offset;
    RETURN_IF_ERROR(upload.space->Upload(source.Data(info), to));
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
