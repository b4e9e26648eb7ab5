// SPDX-License-Identifier: Apache-2.0
#include "runtime/pack_jobs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "ir/base/strings.h"
#include "ir/ops/attributes.h"
#include "runtime/packed_weights.h"

namespace infer {
namespace {

// Maps each weight to the position of the first node that reads it when one token is decoded.
std::map<std::string, size_t> OrderOfUse(const Program& program) {
  std::map<std::string, size_t> order;
  if (program.regimes.empty()) return order;
  for (const Node* node : program.regimes.front().graph.nodes()) {
    for (const Value& input : node->inputs()) {
      if (input.node->op().traits.weight && node->op().traits.index_input < 0) {
        order.try_emplace(WeightKey(*input.node), order.size());
      }
    }
  }
  return order;
}

}  // namespace

std::vector<WeightRead> WeightReadsOf(const Program& program, const KernelRegistry& registry) {
  std::vector<WeightRead> reads;
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement()) continue;
      const KernelInfo* info = registry.kernel(node->placement()->kernel);
      const Device space = registry.SpaceOf(DeviceOf(node->placement()->target));
      for (int i = 0; i < static_cast<int>(node->inputs().size()); ++i) {
        const Node& input = *node->input(i).node;
        if (!input.op().traits.weight) continue;
        const bool by_row = i == 0 && node->op().traits.index_input >= 0;
        const std::string_view layout =
            info == nullptr ? kGgufLayout : WeightLayoutOf(*info, *node, i);
        reads.push_back({WeightKey(input), std::string(layout), space, !by_row});
      }
    }
  }
  return reads;
}

absl::Status CheckSource(const Weight& weight, const WeightSource& source) {
  const WeightInfo* info = source.Find(weight.name);
  if (info != nullptr && TypeOf(*info) == weight.type && source.DataBytes(*info) == weight.bytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      StrCat("weight ", weight.name,
             " of the model file is not the one that the program was compiled for"));
}

std::set<std::string> ReadWholeFromFile(const Program& program, const KernelRegistry& registry) {
  std::set<std::string> names;
  for (const WeightRead& read : WeightReadsOf(program, registry)) {
    const bool is_file = read.space == Device::kCpu && read.layout == kGgufLayout;
    if (is_file && read.whole) names.insert(read.weight);
  }
  return names;
}

std::map<std::string, std::set<std::string>> CpuLayoutsOf(const Program& program,
                                                          const KernelRegistry& registry) {
  std::map<std::string, std::set<std::string>> layouts;
  std::set<std::string> read_elsewhere;
  for (const Weight& weight : program.weights) {
    const bool elsewhere =
        std::ranges::any_of(weight.spaces, [](Device space) { return space != Device::kCpu; });
    if (elsewhere) {
      read_elsewhere.insert(weight.name);
    } else if (!weight.layouts.empty()) {
      layouts[weight.name] = {weight.layouts.begin(), weight.layouts.end()};
    }
  }
  if (read_elsewhere.empty()) return layouts;
  for (WeightRead& read : WeightReadsOf(program, registry)) {
    if (read.space != Device::kCpu || !read_elsewhere.contains(read.weight)) continue;
    layouts[read.weight].insert(std::move(read.layout));
  }
  return layouts;
}

std::optional<uint64_t> PackedBytes(const Weight& weight, const std::string& layout,
                                    const KernelRegistry& registry) {
  const WeightLayout* found = registry.layout(layout);
  const TensorType& type = weight.type;
  if (found == nullptr || found->pack == nullptr || type.rank() < 2 || type.rank() > 3) {
    return std::nullopt;
  }
  const uint64_t matrix = found->bytes(type.dim(-2).value(), type.dim(-1).value());
  if (type.rank() == 2) return matrix;
  return static_cast<uint64_t>(type.dim(0).value()) * PackedStride(matrix);
}

std::vector<PackJob> PackJobsOf(const Program& program, const KernelRegistry& registry) {
  std::vector<PackJob> jobs;
  const std::map<std::string, std::set<std::string>> wanted = CpuLayoutsOf(program, registry);
  for (const Weight& weight : program.weights) {
    auto layouts = wanted.find(weight.name);
    if (layouts == wanted.end()) continue;
    for (const std::string& layout : layouts->second) {
      const std::optional<uint64_t> bytes = PackedBytes(weight, layout, registry);
      if (bytes) jobs.push_back({&weight, registry.layout(layout), 0, *bytes});
    }
  }
  const std::map<std::string, size_t> order = OrderOfUse(program);
  std::ranges::sort(jobs, {}, [&](const PackJob& job) {
    const auto at = order.find(job.weight->name);
    return std::tuple(at == order.end() ? order.size() : at->second, job.weight->name,
                      job.layout->name);
  });
  const auto largest = std::ranges::max_element(jobs, {}, &PackJob::bytes);
  if (largest != jobs.end()) std::rotate(jobs.begin(), largest, largest + 1);
  for (size_t i = 1; i < jobs.size(); ++i) jobs[i].offset = jobs[i - 1].end_offset();
  return jobs;
}

std::vector<PackJob> ByName(std::vector<PackJob> jobs) {
  std::ranges::sort(
      jobs, {}, [](const PackJob& job) { return std::tuple(job.weight->name, job.layout->name); });
  return jobs;
}

}  // namespace infer
