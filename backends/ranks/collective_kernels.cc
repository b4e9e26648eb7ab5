// SPDX-License-Identifier: Apache-2.0
#include "backends/ranks/collective_kernels.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <functional>
#include <string_view>

#include "backends/ranks/message_blocks.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/sharding.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"
#include "runtime/joined_parts.h"
#include "runtime/step_events.h"

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

// Room for the parts of all ranks, and once more for what this one sends.
uint64_t MessageBytes(const Node& node, const SymbolRanges& symbols) {
  const MessageForm& form = ops::MessageOf(node.attrs());
  const TensorType& part = node.input(0).type().tensor;
  const uint64_t elements = BytesAt(part, symbols.Highest()).value_or(0) / sizeof(float);
  const auto ranks = static_cast<uint64_t>(ops::AllGatherOf(node.attrs()).ranks);
  return elements / form.block_elements * form.block_bytes * (ranks + 1);
}

// Adds the time until its end to what the rank has waited.
class WaitTimer {
 public:
  explicit WaitTimer(const RankLink& link)
      : waited_ns_(link.waited_ns), start_ns_(waited_ns_ == nullptr ? 0 : StepClockNs()) {}
  ~WaitTimer() {
    if (waited_ns_ != nullptr) *waited_ns_ += StepClockNs() - start_ns_;
  }
  WaitTimer(const WaitTimer&) = delete;
  WaitTimer& operator=(const WaitTimer&) = delete;

 private:
  int64_t* waited_ns_;
  int64_t start_ns_;
};

using Parts = std::span<const std::byte* const>;

absl::StatusOr<Parts> ShareTerms(const RankLink& link, const std::byte* terms) {
  const WaitTimer timer(link);
  return link.shared->ShareTerms(terms);
}

absl::Status Meet(const RankLink& link) {
  const WaitTimer timer(link);
  return link.shared->Meet();
}

absl::Status Gather(const RankLink& link, std::span<const std::byte> part, std::byte* parts) {
  const WaitTimer timer(link);
  return link.transport->AllGather(part, parts);
}

absl::Status SwapShares(const RankLink& link, const float* sent, float* received, int64_t share) {
  const WaitTimer timer(link);
  return link.transport->AllToAll(reinterpret_cast<const std::byte*>(sent),
                                  reinterpret_cast<std::byte*>(received), share * sizeof(float));
}

// Bytes of a message from which another thread is worth its start.
constexpr int64_t kPieceBytes = 32 << 10;

// Calls body(begin, end) for stretches of `count` rows or elements, of which this rank handles
// `bytes` in all.
template <class Body>
void Divide(const RankLink& link, int64_t count, int64_t bytes, const Body& body) {
  const int64_t pieces = std::clamp<int64_t>(bytes / kPieceBytes, 1, std::max<int64_t>(1, count));
  if (pieces == 1) return body(0, count);
  const auto piece = [count, pieces, &body](int64_t i) {
    body(count * i / pieces, count * (i + 1) / pieces);
  };
  link.parallel_for(pieces, std::cref(piece));
}

// The rows of an all_gather, and how many bytes a rank's part of each has in its message and in the
// result.
struct GatheredRows {
  const MessageForm& form;
  int64_t rows;
  int64_t elements;  // of a rank's part of a row
  int64_t row_bytes;
  int64_t result_bytes;
  bool stays;  // in the result as it was sent

  int64_t part_bytes() const { return rows * row_bytes; }

  static GatheredRows Of(const KernelArgs& args) {
    const MessageForm& form = ops::MessageOf(args.attrs);
    const TensorView& part = args.in(0);
    const int64_t elements = ElementsFrom(part, ops::AllGatherOf(args.attrs).axis);
    return {form,
            part.elements() / elements,
            elements,
            elements / form.block_elements * form.block_bytes,
            elements * Info(args.out().dtype).block_bytes,
            form.stays_as == args.out().dtype};
  }

  void Write(const RankLink& link, const float* values, std::byte* to) const {
    Divide(link, rows, part_bytes(), [&](int64_t begin, int64_t end) {
      WriteMessage(form, values + begin * elements, (end - begin) * elements,
                   to + begin * row_bytes);
    });
  }

  // A row needs its parts of all ranks side by side.
  void Place(const RankLink& link, Parts parts, std::byte* whole) const {
    const auto ranks = static_cast<int64_t>(parts.size());
    Divide(link, rows, part_bytes() * ranks, [&](int64_t begin, int64_t end) {
      std::byte* to = whole + begin * ranks * result_bytes;
      for (int64_t row = begin; row < end; ++row) {
        for (const std::byte* part : parts) {
          Read(part + row * row_bytes, to);
          to += result_bytes;
        }
      }
    });
  }

  // A rank's part of a row, from its message to the result.
  void Read(const std::byte* from, std::byte* to) const {
    if (stays) {
      std::memcpy(to, from, static_cast<size_t>(row_bytes));
    } else {
      ReadMessage(form, from, elements, reinterpret_cast<float*>(to));
    }
  }
};

bool IsRounded(const MessageForm& form) { return !form.name.empty(); }

// Each rank writes its part of every row, unless the step that computed it has done so.
absl::Status GatherInPlace(const KernelArgs& args, const GatheredRows& rows, const RankLink& link) {
  std::byte* own = args.out().data + link.shared->rank() * rows.result_bytes;
  if (args.in(0).data == own) return Meet(link);
  assert(args.in(0).row_stride == 0);
  const int64_t stride = link.shared->ranks() * rows.result_bytes;
  const int64_t bytes = rows.rows * rows.elements * int64_t{sizeof(float)};
  const float* values = args.in(0).f32();
  const bool is_read_back = IsRounded(rows.form) && !rows.stays;
  Divide(link, rows.rows, bytes, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      std::byte* to = own + row * stride;
      std::byte* message = is_read_back ? args.workspace + row * rows.row_bytes : to;
      WriteMessage(rows.form, values + row * rows.elements, rows.elements, message);
      if (is_read_back) rows.Read(message, to);
    }
  });
  return Meet(link);
}

// Parts arrive rank by rank. Those of one row that stays as it is sent arrive as they are needed.
absl::Status AllGather(const KernelArgs& args, const RankLink& link) {
  const GatheredRows rows = GatheredRows::Of(args);
  const auto bytes = static_cast<size_t>(rows.part_bytes());
  if (link.shared != nullptr) return GatherInPlace(args, rows, link);
  const bool is_rounded = IsRounded(rows.form);
  const bool is_in_order = rows.rows == 1 && rows.stays;
  const std::byte* sent = is_rounded ? args.workspace : args.in(0).data;
  std::byte* received = is_in_order  ? args.out().data
                        : is_rounded ? args.workspace + bytes
                                     : args.workspace;
  if (is_rounded) rows.Write(link, args.in(0).f32(), args.workspace);
  RETURN_IF_ERROR(Gather(link, {sent, bytes}, received));
  if (is_in_order) return absl::OkStatus();
  std::array<const std::byte*, kMaxRanks> parts;
  const int ranks = link.transport->ranks();
  for (int rank = 0; rank < ranks; ++rank) parts[rank] = received + rank * bytes;
  rows.Place(link, {parts.data(), static_cast<size_t>(ranks)}, args.out().data);
  return absl::OkStatus();
}

void Copy(const RankLink& link, const float* from, int64_t count, float* to) {
  Divide(link, count, count * int64_t{sizeof(float)},
         [&](int64_t begin, int64_t end) { std::copy(from + begin, from + end, to + begin); });
}

// The elements of a rank's share of the sum; the last share may be filled up with zeros.
int64_t ShareOf(int64_t elements, int64_t ranks) { return (elements + ranks - 1) / ranks; }

// Room for the ranks' terms, filled up to whole shares, twice.
uint64_t ReduceBytes(const Node& node, const SymbolRanges& symbols) {
  const int64_t ranks = ops::AllReduceRanks(node.attrs());
  const int64_t elements = static_cast<int64_t>(ResultBytes(node, symbols) / sizeof(float));
  return 2 * static_cast<uint64_t>(ShareOf(elements, ranks) * ranks) * sizeof(float);
}

// The sum of floats over all ranks. Each rank adds up one share of the elements, in the order of
// the ranks, so that the sum does not depend on which message arrives first.
struct SummedElements {
  int64_t elements;
  int64_t ranks;
  int64_t share;

  static SummedElements Of(int64_t elements, const RankLink& link) {
    const int64_t ranks = link.transport->ranks();
    return {elements, ranks, ShareOf(elements, ranks)};
  }

  // Where the share of a rank begins, and how much of it there is.
  int64_t begin(int64_t rank) const { return std::min(elements, rank * share); }
  int64_t size(int64_t rank) const { return begin(rank + 1) - begin(rank); }

  // terms_of(rank): that rank's terms of this one's share.
  template <class TermsOf>
  void AddUp(const RankLink& link, int64_t count, const TermsOf& terms_of, float* sums) const {
    Divide(link, count, ranks * count * int64_t{sizeof(float)}, [&](int64_t begin, int64_t end) {
      const float* first = terms_of(0);
      std::copy(first + begin, first + end, sums + begin);
      for (int64_t rank = 1; rank < ranks; ++rank) {
        const float* terms = terms_of(rank);
        for (int64_t i = begin; i < end; ++i) sums[i] += terms[i];
      }
    });
  }
};

// Each rank writes its share of the sum. The terms are added in pieces that fit the ranks' rooms.
absl::Status ReduceInPlace(const KernelArgs& args, const RankLink& link) {
  const std::span<std::byte> room = link.shared->TermsRoom();
  const int64_t elements = args.in(0).elements();
  const int64_t most = room.empty() ? elements : static_cast<int64_t>(room.size() / sizeof(float));
  if (elements == 0) return Meet(link);  // the plan counts on it
  for (int64_t first = 0; first < elements; first += most) {
    const SummedElements piece = SummedElements::Of(std::min(most, elements - first), link);
    const float* terms = args.in(0).f32() + first;
    if (!room.empty()) {
      auto* to = reinterpret_cast<float*>(room.data());
      Copy(link, terms, piece.elements, to);
      terms = to;
    }
    ASSIGN_OR_RETURN(const Parts all, ShareTerms(link, reinterpret_cast<const std::byte*>(terms)));
    const int64_t own = link.shared->rank();
    const auto terms_of = [&](int64_t rank) {
      return reinterpret_cast<const float*>(all[rank]) + piece.begin(own);
    };
    piece.AddUp(link, piece.size(own), terms_of,
                args.out().mutable_f32() + first + piece.begin(own));
    RETURN_IF_ERROR(Meet(link));
  }
  return absl::OkStatus();
}

absl::Status AllReduce(const KernelArgs& args, const RankLink& link) {
  if (link.shared != nullptr) return ReduceInPlace(args, link);
  const SummedElements summed = SummedElements::Of(args.in(0).elements(), link);
  const int64_t share = summed.share, padded = share * summed.ranks;
  float* terms = reinterpret_cast<float*>(args.workspace);
  float* received = terms + padded;
  Copy(link, args.in(0).f32(), summed.elements, terms);
  std::fill(terms + summed.elements, terms + padded, 0.0f);
  RETURN_IF_ERROR(SwapShares(link, terms, received, share));
  summed.AddUp(link, share, [&](int64_t rank) { return received + rank * share; }, terms);
  RETURN_IF_ERROR(Gather(link, {reinterpret_cast<const std::byte*>(terms), share * sizeof(float)},
                         reinterpret_cast<std::byte*>(received)));
  Copy(link, received, summed.elements, args.out().mutable_f32());
  return absl::OkStatus();
}

// Rows that were computed in their place need only a meeting. Others are copied, or rounded;
// without common memory every rank has computed all of them.
absl::Status AllRows(const KernelArgs& args, const RankLink& link) {
  for (size_t i = 0; i < args.outputs.size(); ++i) {
    const TensorView& from = args.in(static_cast<int>(i));
    const TensorView& to = args.out(static_cast<int>(i));
    if (from.data == to.data) continue;
    const int64_t rows = to.dim(0), row = rows == 0 ? 0 : to.elements() / rows;
    const RowShare own = link.shared == nullptr
                             ? RowShare{0, rows}
                             : RowsOfRank(rows, link.shared->rank(), link.shared->ranks());
    const float* values = from.f32() + own.begin * row;
    std::byte* result = to.data + own.begin * row * Info(to.dtype).block_bytes;
    const MessageForm& form = to.dtype == from.dtype ? kMessageForms[0] : ops::kStayingForm;
    const int64_t elements = (own.end - own.begin) * row;
    Divide(link, elements, elements * int64_t{sizeof(float)}, [&](int64_t begin, int64_t end) {
      WriteMessage(form, values + begin, end - begin, result + begin * form.block_bytes);
    });
  }
  return link.shared == nullptr ? absl::OkStatus() : Meet(link);
}

template <int kForm>
constexpr CollectiveKernel RoundedGather(std::string_view name) {
  return {{.name = name,
           .op = &ops::kAllGather,
           .target = Target::kRanks,
           .accepts = AcceptsForm<kForm>,
           .numerics = [](const Node&, Range) { return std::string("copy"); },
           .workspace_bytes = MessageBytes},
          AllGather};
}

constexpr CollectiveKernel kKernels[] = {
    {{.name = "all_gather_f32_ranks",
      .op = &ops::kAllGather,
      .target = Target::kRanks,
      .accepts = AcceptsForm<0>,
      .strided_rows = true,
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
    {{.name = "all_rows_ranks",
      .op = &ops::kAllRows,
      .target = Target::kRanks,
      .accepts = AcceptAll,
      .numerics = [](const Node&, Range) { return std::string("copy"); }},
     AllRows},
};

}  // namespace

std::span<const CollectiveKernel> CollectiveKernels() { return kKernels; }

}  // namespace infer
