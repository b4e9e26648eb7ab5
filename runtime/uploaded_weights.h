// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "ir/program/program.h"
#include "ir/program/weight_source.h"
#include "runtime/kernel_registry.h"
#include "runtime/memory_space.h"
#include "runtime/piecewise.h"

namespace infer {

// Owns the weights of a model in the memory of devices that do not work in the cpu's, once per
// layout. Owned by PackedWeights, which synchronises access.
class UploadedWeights {
 public:
  // Uploads the weights that the Program's kernels read there and that are not uploaded yet.
  // Releases the mapped pages of each weight that is not in `keep`, the weights that are read from
  // the file. One weight is read and packed, on the threads of the cpu, while another is copied;
  // `work` gets the progress in bytes copied and may stop it (kCancelled).
  absl::Status Add(const Program& program, const KernelRegistry& registry,
                   const WeightSource& source, const std::set<std::string>& keep,
                   const PieceWork& work = {});

  // Returns nullptr if the weight was not uploaded there.
  const std::byte* Find(const std::string& weight, const std::string& layout,
                        const MemorySpace* space) const;

 private:
  // Keeps the space alive, which belongs to a back end that may die before the model does.
  struct Part {
    std::shared_ptr<MemorySpace> space;
    std::unique_ptr<SpaceMemory> memory;
  };

  std::vector<Part> parts_;  // one for each space of each Add
  std::map<std::tuple<std::string, std::string, const MemorySpace*>, const std::byte*> places_;
};

}  // namespace infer
