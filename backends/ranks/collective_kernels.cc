// SPDX-License-Identifier: Apache-2.0
#include "backends/ranks/collective_kernels.h"

#include <cstring>
#include <string_view>

#include "backends/ranks/message_blocks.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/message.h"
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

template <int kForm>
Decision AcceptsForm(const Node& node) {
  const std::string_view found = ops::MessageOf(node.attrs()).name;
  if (found == kMessageForms[kForm].name) return Decision::Accept();
  return Decision::Reject(StrCat("the message is ", found.empty() ? "f32" : found));
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

// Room for the parts of all ranks, and once more for what this one sends.
uint64_t MessageBytes(const Node& node, const SymbolRanges& symbols) {
  const MessageForm& form = ops::MessageOf(node.attrs());
  const uint64_t elements = ResultBytes(node, symbols) / sizeof(float);
  const auto ranks = static_cast<uint64_t>(ops::AllGatherOf(node.attrs()).ranks);
  return elements / form.block_elements * form.block_bytes / ranks * (ranks + 1);
}

absl::Status AllGatherRounded(const KernelArgs& args, Collective& transport) {
  const MessageForm& form = ops::MessageOf(args.attrs);
  const TensorView& part = args.in(0);
  const int64_t row_elements = ElementsFrom(part, ops::AllGatherOf(args.attrs).axis);
  const int64_t row_bytes = row_elements / form.block_elements * form.block_bytes;
  const int64_t rows = part.elements() / row_elements;
  const int64_t bytes = rows * row_bytes;
  std::byte* received = args.workspace + bytes;
  WriteMessage(form, part.f32(), part.elements(), args.workspace);
  RETURN_IF_ERROR(transport.AllGather({args.workspace, static_cast<size_t>(bytes)}, received));
  float* to = args.out().mutable_f32();
  for (int64_t row = 0; row < rows; ++row) {
    for (int rank = 0; rank < transport.ranks(); ++rank, to += row_elements) {
      ReadMessage(form, received + rank * bytes + row * row_bytes, row_elements, to);
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

template <int kForm>
constexpr CollectiveKernel RoundedGather(std::string_view name) {
  return {{.name = name,
           .op = &ops::kAllGather,
           .target = Target::kRanks,
           .accepts = AcceptsForm<kForm>,
           .numerics = [](const Node&, Range) { return std::string("copy"); },
           .workspace_bytes = MessageBytes},
          AllGatherRounded};
}

constexpr CollectiveKernel kKernels[] = {
    {{.name = "all_gather_f32_ranks",
      .op = &ops::kAllGather,
      .target = Target::kRanks,
      .accepts = AcceptsForm<0>,
      .numerics = [](const Node&, Range) { return std::string("copy"); },
      .workspace_bytes = ResultBytes},
     AllGather},
    RoundedGather<1>("all_gather_bf16_ranks"),
    RoundedGather<2>("all_gather_int8_ranks"),
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
