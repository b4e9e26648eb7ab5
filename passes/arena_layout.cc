// SPDX-License-Identifier: Apache-2.0
#include "passes/arena_layout.h"

#include <algorithm>
#include <set>

#include "ir/graph/plan.h"
#include "passes/free_list.h"

namespace infer {
namespace {

Arena LayOut(Device space, const FreeFrom& free_from, std::vector<ArenaBuffer>& buffers) {
  const size_t steps = free_from.own.size();
  std::vector<std::vector<size_t>> begins(steps), ends(steps + 1);
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].space != space) continue;
    begins[buffers[i].first_step].push_back(i);
    const std::vector<int32_t>& from = buffers[i].common ? free_from.common : free_from.own;
    ends[from[buffers[i].last_step]].push_back(i);
  }
  FreeList own, common;
  const auto list_of = [&](const ArenaBuffer& buffer) -> FreeList& {
    return buffer.common ? common : own;
  };
  uint64_t live_bytes = 0;
  Arena arena{.space = space, .bytes = 0, .bytes_per_thread = 0, .lower_bound = 0};
  for (size_t step = 0; step < steps; ++step) {
    for (size_t i : ends[step]) {
      list_of(buffers[i]).GiveBack(buffers[i].offset, buffers[i].bytes);
      live_bytes -= buffers[i].bytes;
    }
    for (size_t i : begins[step]) {
      buffers[i].offset = list_of(buffers[i]).Take(buffers[i].bytes);
      live_bytes += buffers[i].bytes;
    }
    arena.lower_bound = std::max(arena.lower_bound, live_bytes);
  }
  for (ArenaBuffer& buffer : buffers) {
    if (buffer.space == space && !buffer.common) buffer.offset += common.end();
  }
  arena.bytes = common.end() + own.end();
  return arena;
}

}  // namespace

std::vector<Arena> LayOutArenas(const FreeFrom& free_from, std::vector<ArenaBuffer>& buffers) {
  std::set<Device> spaces = {Device::kCpu};
  for (const ArenaBuffer& buffer : buffers) spaces.insert(buffer.space);
  std::vector<Arena> arenas;
  for (Device space : spaces) arenas.push_back(LayOut(space, free_from, buffers));
  return arenas;
}

}  // namespace infer
