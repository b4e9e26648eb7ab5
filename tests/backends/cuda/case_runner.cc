// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/cuda/case_runner.h"

#include <algorithm>
#include <map>

#include "backends/cuda/driver.h"
#include "backends/cuda/weight_types.h"
#include "gtest/gtest.h"
#include "ir/base/status_macros.h"

namespace infer::cuda {
namespace {

using conformance::CaseData;
using conformance::CaseResult;
using conformance::ConformanceCase;

const WeightLayout* FindLayout(std::string_view name) {
  for (const WeightLayout& layout : WeightLayouts()) {
    if (layout.name == name) return &layout;
  }
  return nullptr;
}

// The memory of a case on the device: a piece for each span, of exactly its size.
class DeviceCase {
 public:
  DeviceCase(const CaseMemory& memory, const Node& node, const KernelInfo& kernel,
             const CaseData& data)
      : memory_(memory), node_(node), kernel_(kernel), data_(data) {}

  absl::Status Create() {
    MemorySpace& space = *Cuda().backend->memory();
    for (const MemorySpan& span : memory_.spans()) {
      ASSIGN_OR_RETURN(std::unique_ptr<SpaceMemory> piece, space.Allocate(span.bytes.size()));
      RETURN_IF_ERROR(space.Upload(span.bytes, piece->data()));
      pieces_.push_back({span, std::move(piece)});
    }
    args_ = memory_.args();
    for (size_t i = 0; i < args_.inputs.size(); ++i) {
      ASSIGN_OR_RETURN(Operand operand, Translate(args_.inputs[i], static_cast<int>(i)));
      operands_.push_back(operand);
    }
    for (const Operand& output : args_.outputs) {
      ASSIGN_OR_RETURN(Operand operand, Translate(output, -1));
      operands_.push_back(operand);
    }
    args_.inputs = std::span(operands_).first(args_.inputs.size());
    args_.outputs = std::span(operands_).subspan(args_.inputs.size());
    if (kernel_.workspace_bytes != nullptr) {
      SymbolRanges ranges;
      for (Symbol symbol : kAllSymbols) {
        ranges[symbol] = {data_.symbols[symbol], data_.symbols[symbol]};
      }
      ASSIGN_OR_RETURN(workspace_, space.Allocate(kernel_.workspace_bytes(node_, ranges)));
      args_.workspace = workspace_->data();
    }
    return absl::OkStatus();
  }

  absl::Status Run() {
    const Backend& backend = *Cuda().backend;
    ASSIGN_OR_RETURN(const std::unique_ptr<DeviceContext> context, backend.MakeContext({}));
    ASSIGN_OR_RETURN(BoundKernel bound, backend.Bind(node_, kernel_.name));
    args_.bound = bound.constants.get();
    args_.batch = &data_.batch.batch();
    // Copies of the results to the cpu are steps of the segment, as in a Program.
    std::vector<PreparedStep> steps = {{.node = &node_, .bound = std::move(bound)}};
    std::vector<KernelArgs> all = {args_};
    std::vector<Operand> ends;
    ends.reserve(2 * pieces_.size());
    for (const Piece& piece : pieces_) {
      if (piece.span.use == MemorySpan::Use::kWeights) continue;
      const auto bytes = static_cast<int64_t>(piece.span.bytes.size());
      const TensorView view = {.dtype = DType::kI8, .rank = 1, .dims = {bytes}};
      TensorView from = view, to = view;
      from.data = piece.memory->data();
      to.data = const_cast<std::byte*>(piece.span.bytes.data());
      ends.push_back({from, {}});
      ends.push_back({to, {}});
      steps.push_back({.number = static_cast<int32_t>(all.size())});
      KernelArgs& copy = all.emplace_back();
      copy.inputs = {&ends[ends.size() - 2], 1};
      copy.outputs = {&ends.back(), 1};
    }
    ASSIGN_OR_RETURN(const std::unique_ptr<CompiledSegment> segment,
                     backend.Prepare(std::move(steps), 0));
    RETURN_IF_ERROR(context->Begin(data_.batch.batch()));
    RETURN_IF_ERROR(segment->Run({}, {all, context.get()}));
    return context->Wait();
  }

 private:
  struct Piece {
    MemorySpan span;
    std::unique_ptr<SpaceMemory> memory;
  };

  std::byte* AddressOf(const std::byte* host) const {
    for (const Piece& piece : pieces_) {
      const std::span<const std::byte> bytes = piece.span.bytes;
      if (host >= bytes.data() && host < bytes.data() + std::max<size_t>(bytes.size(), 1)) {
        return piece.memory->data() + (host - bytes.data());
      }
    }
    ADD_FAILURE() << "memory that is not the case's";
    return nullptr;
  }

  // `input`: its number, or -1 for a result.
  absl::StatusOr<Operand> Translate(const Operand& operand, int input) {
    Operand there = operand;
    if (operand.kv.k != nullptr) {
      there.kv.k = AddressOf(operand.kv.k);
      there.kv.v = AddressOf(operand.kv.v);
    }
    if (operand.tensor.data == nullptr) return there;
    const WeightLayout* layout =
        input < 0 ? nullptr : FindLayout(WeightLayoutOf(kernel_, node_, input));
    if (layout == nullptr) {
      there.tensor.data = AddressOf(operand.tensor.data);
      return there;
    }
    MemorySpace& space = *Cuda().backend->memory();
    const int64_t rows = operand.tensor.rows(), columns = operand.tensor.columns();
    std::vector<std::byte> packed(layout->bytes(rows, columns));
    layout->pack(operand.tensor.data, rows, columns, 0, rows, packed.data());
    ASSIGN_OR_RETURN(std::unique_ptr<SpaceMemory> memory, space.Allocate(packed.size()));
    RETURN_IF_ERROR(space.Upload(packed, memory->data()));
    there.tensor.data = memory->data();
    packed_.push_back(std::move(memory));
    return there;
  }

  const CaseMemory& memory_;
  const Node& node_;
  const KernelInfo& kernel_;
  const CaseData& data_;
  std::vector<Piece> pieces_;
  std::vector<std::unique_ptr<SpaceMemory>> packed_;
  std::unique_ptr<SpaceMemory> workspace_;
  std::vector<Operand> operands_;
  KernelArgs args_;
};

}  // namespace

bool Takes(const KernelInfo& kernel, const ConformanceCase& c) {
  if (kernel.op != c.op) return false;
  Graph graph;
  return kernel.accepts(*conformance::MakeNode(c, &graph)).accepted();
}

CaseResult RunOnCuda(const ConformanceCase& c, const CaseData& data, const Node& node,
                     const KernelInfo& kernel, Place place) {
  const CaseMemory memory(c, data, node, place);
  DeviceCase device(memory, node, kernel, data);
  absl::Status status = device.Create();
  if (status.ok()) status = device.Run();
  EXPECT_TRUE(status.ok()) << status;
  return memory.Result();
}

}  // namespace infer::cuda
