// SPDX-License-Identifier: Apache-2.0
#include "runtime/packed_weights.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "ir/hash.h"
#include "ir/plan.h"
#include "ir/status_macros.h"
#include "ir/strings.h"
#include "runtime/pack_cache.h"

namespace infer {
namespace {

// Packing is shared out in pieces of about this size: small enough for an even split of a 100 MB
// matrix over many threads, large enough that handing one out costs nothing beside it.
constexpr uint64_t kPieceBytes = 1 << 20;

constexpr uint64_t kBytesAroundRow = 220 * 1024;  // that the system maps when one row is read

struct Job {
  const Weight* weight;
  const WeightLayout* layout;
  uint64_t offset = 0;
  uint64_t bytes = 0;

  int64_t rows() const { return weight->type.dim(0).value(); }
  int64_t columns() const { return weight->type.dim(1).value(); }
  uint64_t end_offset() const {
    return offset + (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
  }
  int64_t panels() const { return (rows() + layout->panel_rows - 1) / layout->panel_rows; }
};

// Weights that a kernel reads whole as the file stores them. An op that takes row numbers of its
// first input reads single rows of it.
std::set<std::string> ReadWholeFromFile(const Program& program, const KernelRegistry& registry) {
  std::set<std::string> names;
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement()) continue;
      const KernelInfo* info = registry.kernel(node->placement()->kernel);
      for (int i = 0; i < static_cast<int>(node->inputs().size()); ++i) {
        const Node& input = *node->input(i).node;
        if (!input.op().traits.weight) continue;
        if (i == 0 && node->op().traits.index_input >= 0) continue;
        if (info == nullptr || WeightLayoutOf(*info, *node, i) == kGgufLayout) {
          names.insert(input.attr<std::string>(0));
        }
      }
    }
  }
  return names;
}

// Of a packed weight that nobody reads whole from the file, "gguf" means its rows.
bool HasReadRows(const Weight& weight) {
  return std::ranges::find(weight.layouts, kGgufLayout) != weight.layouts.end();
}

// Weights by the place of the first node that reads them when one token is decoded.
std::map<std::string, size_t> OrderOfUse(const Program& program) {
  std::map<std::string, size_t> order;
  if (program.regimes.empty()) return order;
  for (const Node* node : program.regimes.front().graph.nodes()) {
    for (const Value& input : node->inputs()) {
      if (input.node->op().traits.weight && node->op().traits.index_input < 0) {
        order.try_emplace(input.node->attr<std::string>(0), order.size());
      }
    }
  }
  return order;
}

// The largest first: while a weight is packed it is in memory twice, which then adds nothing to the
// peak, because most of the packed memory has not been touched yet. The others follow in the order
// in which a call reads them: a kernel fetches weights ahead of its own end, which are then those
// that the next one begins with. Memory is laid out in the order of packing: touching it here and
// there would bring in large pages before their time.
std::vector<Job> JobsOf(const Program& program, const KernelRegistry& registry) {
  std::vector<Job> jobs;
  for (const Weight& weight : program.weights) {
    for (const std::string& layout : weight.layouts) {
      const std::optional<uint64_t> bytes = PackedBytes(weight, layout, registry);
      if (bytes) jobs.push_back({&weight, registry.layout(layout), 0, *bytes});
    }
  }
  const std::map<std::string, size_t> order = OrderOfUse(program);
  std::ranges::sort(jobs, {}, [&](const Job& job) {
    const auto at = order.find(job.weight->name);
    return std::tuple(at == order.end() ? order.size() : at->second, job.weight->name,
                      job.layout->name);
  });
  const auto largest = std::ranges::max_element(jobs, {}, &Job::bytes);
  if (largest != jobs.end()) std::rotate(jobs.begin(), largest, largest + 1);
  for (size_t i = 1; i < jobs.size(); ++i) jobs[i].offset = jobs[i - 1].end_offset();
  return jobs;
}

void Pack(const Job& job, std::span<const std::byte> rows, std::byte* out,
          const ParallelFor& parallel) {
  int64_t panels = job.panels();
  int64_t pieces = std::clamp<int64_t>(job.bytes / kPieceBytes, 1, panels);
  parallel(pieces, [&](int64_t piece) {
    job.layout->pack(rows.data(), job.rows(), job.columns(), panels * piece / pieces,
                     panels * (piece + 1) / pieces, out);
  });
}

absl::Status CheckSource(const Job& job, const WeightSource& source) {
  const WeightInfo* info = source.Find(job.weight->name);
  if (info != nullptr && TypeOf(*info) == job.weight->type &&
      source.Data(*info).size() == job.weight->bytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      StrCat("weight ", job.weight->name,
             " of the model file is not the one that the program was compiled for"));
}

absl::Status PackAll(std::span<const Job> jobs, const std::set<std::string>& keep,
                     const WeightSource& source, const PackOptions& options,
                     std::span<std::byte> memory) {
  for (const Job& job : jobs) {
    if (options.progress) options.progress(job.offset, memory.size());
    const WeightInfo& info = *source.Find(job.weight->name);
    Pack(job, source.Data(info), memory.data() + job.offset, options.parallel);
    if (!keep.contains(job.weight->name)) source.Release(info);
  }
  if (options.progress) options.progress(memory.size(), memory.size());
  return source.Check();
}

// Comparing and hashing the weights has read a few pages of each.
void ReleaseAll(std::span<const Job> jobs, const std::set<std::string>& keep,
                const WeightSource& source) {
  for (const Job& job : jobs) {
    if (!keep.contains(job.weight->name)) source.Release(*source.Find(job.weight->name));
  }
}

// In the order of the cache's file: Programs of one model that want the same layouts share it,
// whatever the order in which they read.
std::vector<Job> ByName(std::vector<Job> jobs) {
  std::ranges::sort(jobs, {},
                    [](const Job& job) { return std::tuple(job.weight->name, job.layout->name); });
  return jobs;
}

// What the packed bytes are made of: the weights, told apart by a few pages of each, and the
// packers.
uint64_t KeyOf(std::span<const Job> by_name, const WeightSource& source) {
  Hasher key;
  for (const Job& job : by_name) {
    key.Add(job.weight->name)
        .Add(ToString({TypeKind::kTensor, job.weight->type}))
        .Add(job.layout->variant);
    key.Add(source.SampleHash(*source.Find(job.weight->name)));
  }
  return key.Finish();
}

PackCache::Parts PartsOf(std::span<const Job> by_name, std::span<std::byte> memory) {
  PackCache::Parts parts;
  for (const Job& job : by_name) parts.push_back(memory.subspan(job.offset, job.bytes));
  return parts;
}

void Warn(const PackOptions& options, const std::string& message) {
  if (options.warn) options.warn(message);
}

}  // namespace

std::optional<uint64_t> PackedBytes(const Weight& weight, const std::string& layout,
                                    const KernelRegistry& registry) {
  const WeightLayout* found = registry.layout(layout);
  if (found == nullptr || found->pack == nullptr || weight.type.shape.rank() != 2) {
    return std::nullopt;
  }
  return found->bytes(weight.type.dim(0).value(), weight.type.dim(1).value());
}

std::map<std::string, uint64_t> WeightBytesByLayout(const Program& program,
                                                    const KernelRegistry& registry) {
  const std::set<std::string> read_whole = ReadWholeFromFile(program, registry);
  std::map<std::string, uint64_t> bytes_of;
  for (const Weight& weight : program.weights) {
    bool packed = false;
    for (const std::string& layout : weight.layouts) {
      const std::optional<uint64_t> bytes = PackedBytes(weight, layout, registry);
      if (!bytes) continue;
      bytes_of[layout] += *bytes;
      packed = true;
    }
    if (weight.layouts.empty() || (packed && !read_whole.contains(weight.name))) continue;
    bytes_of[std::string(kGgufLayout)] += weight.bytes;
  }
  return bytes_of;
}

absl::StatusOr<PackedWeights> PackedWeights::Create(const Program& program,
                                                    const WeightSource& source,
                                                    const KernelRegistry& registry,
                                                    const PackOptions& options) {
  PackedWeights packed;
  const std::set<std::string> keep = ReadWholeFromFile(program, registry);
  const std::vector<Job> jobs = JobsOf(program, registry);
  for (const Job& job : jobs) {
    RETURN_IF_ERROR(CheckSource(job, source));
    packed.offsets_[{job.weight->name, std::string(job.layout->name)}] = job.offset;
    if (HasReadRows(*job.weight) && !keep.contains(job.weight->name)) {
      packed.read_by_row_.push_back(source.Find(job.weight->name));
    }
  }
  if (jobs.empty()) return packed;
  ASSIGN_OR_RETURN(packed.memory_,
                   ZeroedMemory::Create(jobs.back().end_offset(), ZeroedMemory::Pages::kHuge));
  const std::span<std::byte> memory{packed.memory_.data(), packed.memory_.bytes()};
  if (options.cache_path.empty()) {
    RETURN_IF_ERROR(PackAll(jobs, keep, source, options, memory));
    return packed;
  }
  const std::vector<Job> by_name = ByName(jobs);
  const PackCache::Parts parts = PartsOf(by_name, memory);
  PackCache cache(options.cache_path, KeyOf(by_name, source));
  ReleaseAll(jobs, keep, source);
  absl::Status loaded = cache.Load(parts, options.parallel);
  packed.from_cache_ = loaded.ok();
  if (loaded.ok()) return packed;
  if (!absl::IsNotFound(loaded)) Warn(options, StrCat(ToStd(loaded.message()), "; packing again"));
  RETURN_IF_ERROR(PackAll(jobs, keep, source, options, memory));
  absl::Status stored = cache.Store(parts, options.parallel);
  if (!stored.ok()) Warn(options, StrCat(ToStd(stored.message()), "; packed weights are not kept"));
  return packed;
}

void PackedWeights::ReleaseRows(const WeightSource& source) const {
  for (const WeightInfo* weight : read_by_row_) source.Release(*weight);
}

int64_t PackedWeights::rows_to_hold() const {
  return std::max<int64_t>(1, static_cast<int64_t>(bytes() / 64 / kBytesAroundRow));
}

const std::byte* PackedWeights::Find(const std::string& weight, const std::string& layout) const {
  auto it = offsets_.find({weight, layout});
  return it == offsets_.end() ? nullptr : memory_.data() + it->second;
}

}  // namespace infer
