// SPDX-License-Identifier: Apache-2.0
#include "backends/ranks/collective_kernels.h"

#include <cstring>

#include "ir/base/status_macros.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

Decision AcceptAll(const Node&) { return Decision::Accept(); }

uint64_t ResultBytes(const Node& node, const SymbolRanges& symbols) {
  return BytesAt(node.result().type.tensor, symbols.Highest()).value_or(0);
}

// Elements of a value from `axis` on, which lie together in each row.
int64_t ElementsFrom(const TensorView& view, int64_t axis) {
  int64_t elements = 1;
  for (int i = static_cast<int>(axis); i < view.rank; ++i) elements *= view.dims[i];
  return elements;
}

// Parts arrive rank by rank, but a row needs its parts of all ranks side by side. With one row they
// arrive as they are needed.
absl::Status AllGather(const KernelArgs& args, Collective& transport) {
  const TensorView& part = args.in(0);
  const TensorView& whole = args.out();
  const size_t row_bytes = ElementsFrom(part, ops::AllGatherOf(args.attrs).axis) * sizeof(float);
  const size_t bytes = part.elements() * sizeof(float);
  const size_t rows = bytes / row_bytes;
  std::byte* received = rows == 1 ? whole.data : args.workspace;
  RETURN_IF_ERROR(transport.AllGather({part.data, bytes}, received));
  if (rows == 1) return absl::OkStatus();
  std::byte* to = whole.data;
  for (size_t row = 0; row < rows; ++row) {
    for (int rank = 0; rank < transport.ranks(); ++rank, to += row_bytes) {
      std::memcpy(to, received + static_cast<size_t>(rank) * bytes + row * row_bytes, row_bytes);
    }
  }
  return absl::OkStatus();
}

// The elements of a rank's share of the sum; the last share may be filled up with zeros.
int64_t ShareOf(int64_t elements, int64_t ranks) { return (elements + ranks - 1) / ranks; }

// Room for the ranks' terms, filled up to whole shares, twice.
uint64_t ReduceBytes(const Node& node, const SymbolRanges& symbols) {
  const int64_t ranks = ops::AllReduceRanks(node.attrs());
  const int64_t elements = static_cast<int64_t>(ResultBytes(node, symbols) / sizeof(float));
  return 2 * static_cast<uint64_t>(ShareOf(elements, ranks) * ranks) * sizeof(float);
}

// Each rank adds up one share of the elements, in the order of the ranks, so that the sum does not
// depend on which message arrives first.
absl::Status AllReduce(const KernelArgs& args, Collective& transport) {
  const int64_t ranks = transport.ranks();
  const int64_t elements = args.in(0).elements();
  const int64_t share = ShareOf(elements, ranks);
  float* terms = reinterpret_cast<float*>(args.workspace);
  float* received = terms + share * ranks;
  std::memcpy(terms, args.in(0).data, elements * sizeof(float));
  std::memset(terms + elements, 0, (share * ranks - elements) * sizeof(float));
  RETURN_IF_ERROR(transport.AllToAll(reinterpret_cast<const std::byte*>(terms),
                                     reinterpret_cast<std::byte*>(received),
                                     share * sizeof(float)));
  for (int64_t i = 0; i < share; ++i) {
    float sum = received[i];
    for (int64_t rank = 1; rank < ranks; ++rank) sum += received[rank * share + i];
    terms[i] = sum;
  }
  RETURN_IF_ERROR(
      transport.AllGather({reinterpret_cast<const std::byte*>(terms), share * sizeof(float)},
                          reinterpret_cast<std::byte*>(received)));
  std::memcpy(args.out().data, received, elements * sizeof(float));
  return absl::OkStatus();
}

constexpr CollectiveKernel kKernels[] = {
    {{.name = "all_gather_f32_ranks",
      .op = &ops::kAllGather,
      .target = Target::kRanks,
      .accepts = AcceptAll,
      .numerics = [](const Node&, Range) { return std::string("copy"); },
      .workspace_bytes = ResultBytes},
     AllGather},
    {{.name = "all_reduce_f32_ranks",
      .op = &ops::kAllReduce,
      .target = Target::kRanks,
      .accepts = AcceptAll,
      .numerics = [](const Node&, Range) { return std::string("f32-by-rank"); },
      .workspace_bytes = ReduceBytes},
     AllReduce},
};

}  // namespace

std::span<const CollectiveKernel> CollectiveKernels() { return kKernels; }

}  // namespace infer
