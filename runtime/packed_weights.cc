// SPDX-License-Identifier: Apache-2.0
#include "runtime/packed_weights.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/hash.h"
#include "ir/base/lookup_count.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/file_stamps.h"
#include "runtime/pack_cache.h"
#include "runtime/pack_jobs.h"
#include "runtime/pack_weights.h"

namespace infer {
namespace {

constexpr std::string_view kNotKept = "packed weights are not kept";
constexpr uint64_t kBytesAroundRow = 220 * 1024;  // mapped by the system when one row is read

// For a weight that is packed and not read whole from the file, "gguf" stands for reads of single
// rows.
bool HasReadRows(const Weight& weight) {
  return std::ranges::find(weight.layouts, kGgufLayout) != weight.layouts.end();
}

// Weights of which only rows are read, from the file, while other nodes have the same weight or
// parts of it packed: a table that is the output matrix too.
std::set<std::string> ReadByRow(const Program& program, const KernelRegistry& registry) {
  const std::set<std::string> read_whole = ReadWholeFromFile(program, registry);
  std::set<std::string> packed;
  for (const PackJob& job : PackJobsOf(program, registry)) packed.insert(job.weight->FileName());
  std::set<std::string> names;
  for (const Weight& weight : program.weights) {
    if (HasReadRows(weight) && !read_whole.contains(weight.name) &&
        packed.contains(weight.FileName())) {
      names.insert(weight.name);
    }
  }
  return names;
}

// Releases the pages that comparing and hashing the weights has read.
void ReleaseAll(std::span<const PackJob> jobs, const std::set<std::string>& keep,
                const WeightSource& source) {
  for (const PackJob& job : jobs) {
    if (!keep.contains(job.weight->name)) source.Release(*source.Find(job.weight->name));
  }
}

// Identifies what is packed and how: the weights, distinguished by a few pages of each, and the
// packers.
uint64_t LayoutsKey(std::span<const PackJob> by_name, const WeightSource& source) {
  Hasher key;
  for (const PackJob& job : by_name) {
    key.Add(job.weight->name)
        .Add(ToString({TypeKind::kTensor, job.weight->type}))
        .Add(job.layout->variant);
    key.Add(source.SampleHash(*source.Find(job.weight->name)));
  }
  return key.Finish();
}

PackCache::Parts PartsOf(std::span<const PackJob> by_name, std::span<std::byte> memory) {
  PackCache::Parts parts;
  for (const PackJob& job : by_name) parts.push_back(memory.subspan(job.offset, job.bytes));
  return parts;
}

void Warn(const PackOptions& options, const std::string& message) {
  if (options.warn) options.warn(message);
}

}  // namespace

std::map<std::string, uint64_t> WeightBytesByLayout(const Program& program,
                                                    const KernelRegistry& registry) {
  const std::set<std::string> read_whole = ReadWholeFromFile(program, registry);
  const std::set<std::string> by_row = ReadByRow(program, registry);
  const std::map<std::string, std::set<std::string>> wanted = CpuLayoutsOf(program, registry);
  std::map<std::string, uint64_t> bytes_of;
  for (const Weight& weight : program.weights) {
    auto layouts = wanted.find(weight.name);
    if (layouts == wanted.end()) continue;
    bool packed = false;
    for (const std::string& layout : layouts->second) {
      const std::optional<uint64_t> bytes = PackedBytes(weight, layout, registry);
      if (!bytes) continue;
      bytes_of[layout] += *bytes;
      packed = true;
    }
    if (packed && !read_whole.contains(weight.name)) continue;
    if (by_row.contains(weight.name)) continue;
    bytes_of[std::string(kGgufLayout)] += weight.bytes;
  }
  return bytes_of;
}

absl::Status PackedWeights::Add(const Program& program, const KernelRegistry& registry,
                                const PackOptions& options) {
  const std::lock_guard lock(mutex_);
  const std::set<std::string> keep = ReadWholeFromFile(program, registry);
  RETURN_IF_ERROR(uploaded_.Add(program, registry, source_, keep, options.work));
  std::vector<PackJob> jobs = PackJobsOf(program, registry);
  std::erase_if(jobs, [&](const PackJob& job) {
    return FindLocked(job.weight->name, std::string(job.layout->name)) != nullptr;
  });
  if (jobs.empty()) return absl::OkStatus();
  Part part;
  uint64_t bytes = 0;
  for (PackJob& job : jobs) {
    RETURN_IF_ERROR(CheckSource(*job.weight, source_));
    job.offset = bytes;
    bytes = job.end_offset();
    part.offsets[{job.weight->name, std::string(job.layout->name)}] = job.offset;
  }
  ASSIGN_OR_RETURN(part.memory, ZeroedMemory::Create(bytes, ZeroedMemory::Pages::kHuge));
  RETURN_IF_ERROR(Fill(jobs, keep, options, {part.memory.data(), part.memory.bytes()}));
  for (const std::string& name : ReadByRow(program, registry)) {
    read_by_row_.insert(source_.Find(name));
  }
  parts_.push_back(std::move(part));
  if (!read_by_row_.empty()) rows_to_hold_ = RowsToHold();
  return absl::OkStatus();
}

absl::Status PackedWeights::Fill(std::span<const PackJob> jobs, const std::set<std::string>& keep,
                                 const PackOptions& options, std::span<std::byte> memory) {
  if (!options.cache_path.empty() && parts_.empty()) {
    return FillWithCache(jobs, keep, options, memory);
  }
  num_packed_ += std::ssize(jobs);
  return PackWeights(jobs, source_, {.keep = keep}, options.work, memory).status();
}

absl::Status PackedWeights::FillWithCache(std::span<const PackJob> jobs,
                                          const std::set<std::string>& keep,
                                          const PackOptions& options, std::span<std::byte> memory) {
  const std::vector<PackJob> by_name = ByName({jobs.begin(), jobs.end()});
  const PackCache::Parts parts = PartsOf(by_name, memory);
  const std::vector<FileStamp> stamps = source_.FileStamps();
  const bool settled = AreSettled(stamps, FileClockNow());
  PackCache cache(options.cache_path,
                  {.layouts = LayoutsKey(by_name, source_), .files = HashOf(stamps)});
  ReleaseAll(jobs, keep, source_);
  const absl::Status loaded = cache.Load(parts, options.work);
  if (loaded.ok()) read_from_ = cache.path();
  if (loaded.ok() || absl::IsCancelled(loaded)) return loaded;
  if (!absl::IsNotFound(loaded)) Warn(options, StrCat(ToStd(loaded.message()), "; packing again"));
  num_packed_ += std::ssize(jobs);
  ASSIGN_OR_RETURN(const uint64_t hash,
                   PackWeights(jobs, source_, {.keep = keep, .hash = true}, options.work, memory));
  if (source_.FileStamps() != stamps) {
    Warn(options, StrCat(cache.path(), ": the model changed while it was packed; ", kNotKept));
    return absl::OkStatus();
  }
  const PackCache::Source packed{.hash = hash, .settled = settled};
  if (absl::IsAborted(loaded) && cache.Renew(parts, packed)) return absl::OkStatus();
  const absl::Status stored = cache.Store(parts, packed, options.work);
  if (absl::IsCancelled(stored)) return stored;
  if (!stored.ok()) Warn(options, StrCat(ToStd(stored.message()), "; ", kNotKept));
  return absl::OkStatus();
}

void PackedWeights::RowsRead(int64_t rows) const {
  if (rows_read_.fetch_add(rows) + rows < rows_to_hold_) return;
  const std::lock_guard lock(mutex_);
  if (rows_read_.exchange(0) == 0) return;  // another thread got here first
  for (const WeightInfo* weight : read_by_row_) source_.Release(*weight);
}

int64_t PackedWeights::RowsToHold() const {
  uint64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.memory.bytes();
  return std::max<int64_t>(1, static_cast<int64_t>(bytes / 64 / kBytesAroundRow));
}

uint64_t PackedWeights::bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.memory.bytes();
  return bytes;
}

int64_t PackedWeights::num_packed() const {
  const std::lock_guard lock(mutex_);
  return num_packed_;
}

std::string PackedWeights::read_from() const {
  const std::lock_guard lock(mutex_);
  return read_from_;
}

const std::byte* PackedWeights::Find(const std::string& weight, const std::string& layout,
                                     const MemorySpace* space) const {
  CountLookup();
  const std::lock_guard lock(mutex_);
  if (space != &CpuSpace()) return uploaded_.Find(weight, layout, space);
  return FindLocked(weight, layout);
}

const std::byte* PackedWeights::FindLocked(const std::string& weight,
                                           const std::string& layout) const {
  for (const Part& part : parts_) {
    auto it = part.offsets.find({weight, layout});
    if (it != part.offsets.end()) return part.memory.data() + it->second;
  }
  return nullptr;
}

}  // namespace infer
