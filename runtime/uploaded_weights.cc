// SPDX-License-Identifier: Apache-2.0
#include "runtime/uploaded_weights.h"

#include <algorithm>
#include <future>
#include <string_view>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
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

// Returns the weight as the file stores it, or packed into `packed`.
std::span<const std::byte> Prepared(const Upload& upload, std::span<const std::byte> rows,
                                    const KernelRegistry& registry,
                                    std::vector<std::byte>& packed) {
  const WeightLayout* layout = registry.layout(upload.layout);
  if (layout == nullptr || layout->pack == nullptr) return rows;
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
  return packed;
}

// Copies weights in order, one at a time, while the caller prepares the next.
class Copier {
 public:
  // Waits for the copy before, and returns its status.
  absl::Status Wait() { return running_.valid() ? running_.get() : absl::OkStatus(); }
  // `from` must live until the next Wait.
  void Start(MemorySpace& space, std::span<const std::byte> from, std::byte* to) {
    running_ =
        std::async(std::launch::async, [&space, from, to] { return space.Upload(from, to); });
  }

 private:
  std::future<absl::Status> running_;  // its destructor waits
};

}  // namespace

absl::Status UploadedWeights::Add(const Program& program, const KernelRegistry& registry,
                                  const WeightSource& source, const std::set<std::string>& keep,
                                  const PieceWork& work) {
  const auto release = [&](const Upload& upload) {
    if (!keep.contains(upload.weight->name)) source.Release(*source.Find(upload.weight->name));
  };
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
  uint64_t total = 0, done = 0;
  for (const Upload& upload : uploads) total += upload.bytes;
  std::vector<std::byte> packed[2];  // one is filled while the other is copied
  Copier copier;
  for (size_t i = 0; i < uploads.size(); ++i) {
    if (work.progress) work.progress(done, total);
    if (work.stopped()) return absl::CancelledError("stopped while loading weights");
    const Upload& upload = uploads[i];
    RETURN_IF_ERROR(CheckSource(*upload.weight, source));
    const std::span<const std::byte> rows = source.Data(*source.Find(upload.weight->name));
    const std::span<const std::byte> from = Prepared(upload, rows, registry, packed[i % 2]);
    RETURN_IF_ERROR(copier.Wait());
    if (i > 0) release(uploads[i - 1]);
    copier.Start(*upload.space, from, memory.at(upload.space.get()) + upload.offset);
    done += upload.bytes;
  }
  RETURN_IF_ERROR(copier.Wait());
  if (!uploads.empty()) release(uploads.back());
  if (work.progress && !uploads.empty()) work.progress(total, total);
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
