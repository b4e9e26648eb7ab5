// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/op_case.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "tools/api/device_lines.h"
#include "tools/bench/cache_size.h"
#include "tools/synth/random_blocks.h"

namespace infer {
namespace {

constexpr uint64_t kStreamKey = 0x9e3779b97f4a7c15;
constexpr int kMostCopies = 4096;
constexpr uint64_t kGpuCacheBytes = 64 << 20;  // more than any of today's has
// Padding after a weight, where a model would have another one: kernels prefetch up to 16 KiB
// ahead, and each line on an unmapped page costs a page-table walk, 5 us in all.
constexpr uint64_t kReadAhead = 64 << 10;

absl::StatusOr<ZeroedMemory> WeightMemory(uint64_t bytes) {
  ASSIGN_OR_RETURN(ZeroedMemory memory,
                   ZeroedMemory::Create(bytes + kReadAhead, ZeroedMemory::Pages::kHuge));
  std::memset(memory.data() + bytes, 1, kReadAhead);
  return memory;
}

// Fills rows with random values of about unit size.
void FillRows(DType dtype, int64_t rows, int64_t columns, std::byte* data) {
  const RandomRows random(dtype, static_cast<uint64_t>(columns), kStreamKey);
  for (int64_t row = 0; row < rows; ++row) {
    random.Fill(static_cast<uint64_t>(row), {data + row * random.row_bytes(), random.row_bytes()});
  }
}

void Pack(const WeightLayout& layout, const std::byte* rows, const TensorType& type,
          std::byte* packed) {
  const int64_t count = type.dim(0).value(), columns = type.dim(1).value();
  layout.pack(rows, count, columns, 0, (count + layout.panel_rows - 1) / layout.panel_rows, packed);
}

}  // namespace

absl::StatusOr<std::unique_ptr<OpCase>> OpCase::Create(const Request& request,
                                                       const KernelRegistry& registry) {
  auto made = std::unique_ptr<OpCase>(new OpCase());
  ASSIGN_OR_RETURN(made->op_, MakeOpNode(request.op, request.shape));
  const int64_t rows = request.shape.rows;
  made->symbols_ = {rows, 1, rows + request.shape.depth};
  RETURN_IF_ERROR(made->FindKernel(request, registry));
  made->cost_ = CostOf(*made->op_.node);
  RETURN_IF_ERROR(made->MakeShared());
  const int copies = std::max(request.least_copies, made->CopiesFor(request.cold));
  made->copies_.reserve(static_cast<size_t>(copies));  // arguments point into them
  for (int i = 0; i < copies; ++i) RETURN_IF_ERROR(made->AddCopy(registry));
  if (request.fed) RETURN_IF_ERROR(made->AddWriters(request, registry));
  RETURN_IF_ERROR(made->AddSegments(request, registry));
  return made;
}

void OpCase::Run() {
  // Cannot be stopped, for there is no stop flag, and fails on no device that still works.
  const BoundSteps& steps = segments_[next_];
  if (waits_) device_->Begin(copies_[0].batch).IgnoreError();
  steps.segment->Run({}, {steps.args, device_.get()}).IgnoreError();
  if (waits_) device_->Wait().IgnoreError();
  next_ = next_ + 1 == segments_.size() ? 0 : next_ + 1;
}

absl::Status OpCase::FindKernel(const Request& request, const KernelRegistry& registry) {
  const Backend* backend = registry.backend(DeviceOf(request.target));
  if (backend != nullptr && backend->emulated()) {
    return absl::UnimplementedError(
        StrCat(DeviceName(*backend), ": its times say nothing about the device"));
  }
  SymbolRanges ranges;
  for (Symbol symbol : kAllSymbols) ranges[symbol] = {symbols_[symbol], symbols_[symbol]};
  const KernelCatalog& catalog = registry.For(
      request.float_activations ? Policy::Activations::kFloat : Policy::Activations::kAuto);
  KernelAnswer answer = catalog.Find(*op_.node, request.target, ranges);
  if (!answer.kernel) return absl::UnimplementedError(answer.reason);
  kernel_ = answer.kernel->name;
  ASSIGN_OR_RETURN(bound_, backend->Bind(*op_.node, kernel_));
  target_ = request.target;
  layouts_ = answer.kernel->record.weight_layouts;
  ASSIGN_OR_RETURN(workspace_, ZeroedMemory::Create(answer.kernel->record.workspace_bytes));
  scratch_stride_ =
      (answer.kernel->record.scratch_bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
  const int threads = backend->threads();
  ASSIGN_OR_RETURN(scratch_, ZeroedMemory::Create(scratch_stride_ * threads));
  return absl::OkStatus();
}

TensorView OpCase::ViewOf(const ValueType& type, std::byte* data) const {
  TensorView view = {.data = data, .dtype = type.tensor.dtype, .rank = type.rank()};
  for (int axis = 0; axis < view.rank; ++axis) view.dims[axis] = type.dim(axis).At(symbols_);
  return view;
}

absl::Status OpCase::MakeShared() {
  for (const Value& input : op_.node->inputs()) {
    Operand operand;
    if (input.type().is_tensor(DType::kF32) && !input.node->op().traits.weight) {
      ASSIGN_OR_RETURN(ZeroedMemory memory,
                       ZeroedMemory::Create(BytesAt(input.type().tensor, symbols_).value_or(0)));
      operand.tensor = ViewOf(input.type(), memory.data());
      FillRows(DType::kF32, operand.tensor.rows(), operand.tensor.columns(), memory.data());
      tensors_.push_back(std::move(memory));
    }
    shared_inputs_.push_back(operand);
  }
  for (const ValueType& type : op_.node->ResultTypes()) {
    Operand operand;
    if (type.is_tensor()) {
      ASSIGN_OR_RETURN(ZeroedMemory memory,
                       ZeroedMemory::Create(BytesAt(type.tensor, symbols_).value_or(0)));
      operand.tensor = ViewOf(type, memory.data());
      tensors_.push_back(std::move(memory));
    }
    outputs_.push_back(operand);
  }
  return absl::OkStatus();
}

int OpCase::CopiesFor(bool cold) const {
  if (!cold) return 1;
  uint64_t bytes = 0;
  for (const Value& input : op_.node->inputs()) {
    const TensorType& type = input.type().tensor;
    if (input.node->op().traits.weight) bytes += BytesAt(type, symbols_).value_or(0);
    if (input.type().kind != TypeKind::kKv) continue;
    const double elements = static_cast<double>(type.dim(0).value() * type.dim(1).value());
    bytes += static_cast<uint64_t>(2 * elements * static_cast<double>(symbols_.s) *
                                   BytesPerElement(type.dtype));
  }
  if (bytes == 0) return 1;
  const uint64_t cache =
      RecordOf(DeviceOf(target_)).is_gpu ? kGpuCacheBytes : LastLevelCacheBytes();
  // Twice the cache size, so that what a call reads has been evicted since it was last read.
  return static_cast<int>(std::clamp<uint64_t>(2 * cache / bytes + 2, 2, kMostCopies));
}

absl::StatusOr<ZeroedMemory> OpCase::MakeWeight(const TensorType& type,
                                                const WeightLayout* layout) const {
  const uint64_t bytes = BytesAt(type, symbols_).value_or(0);
  ASSIGN_OR_RETURN(ZeroedMemory rows, WeightMemory(bytes));
  if (type.rank() == 1) {
    FillNorm(kStreamKey, {rows.data(), bytes});
    return rows;
  }
  FillRows(type.dtype, type.dim(0).value(), type.dim(1).value(), rows.data());
  if (layout == nullptr || layout->pack == nullptr) return rows;
  ASSIGN_OR_RETURN(ZeroedMemory packed,
                   WeightMemory(layout->bytes(type.dim(0).value(), type.dim(1).value())));
  Pack(*layout, rows.data(), type, packed.data());
  return packed;
}

absl::Status OpCase::MakeCache(const TensorType& type, Copy* copy) const {
  KvCacheOptions options;
  options.layers = {
      {static_cast<int32_t>(type.dim(0).value()), static_cast<int32_t>(type.dim(1).value())}};
  options.dtype = type.dtype;
  options.capacity = symbols_.s;
  options.max_tokens = static_cast<int32_t>(symbols_.t);
  ASSIGN_OR_RETURN(copy->cache, KvCache::Create(options));
  ASSIGN_OR_RETURN(SequenceId sequence, copy->cache->NewSequence());
  RETURN_IF_ERROR(copy->cache->Reserve(sequence, symbols_.s));
  copy->cache->Commit(sequence, symbols_.s - symbols_.t);
  const BatchRequest request{sequence, static_cast<int32_t>(symbols_.t), 1};
  const KvView& view = copy->cache->view(0);
  for (std::byte* part : {view.k, view.v}) {
    FillRows(type.dtype, type.dim(0).value() * symbols_.s, type.dim(1).value(), part);
  }
  return copy->cache->MakeBatch({&request, 1}, &copy->batch);
}

absl::StatusOr<Operand> OpCase::MakeInput(int input, const KernelRegistry& registry, Copy* copy) {
  const Value value = op_.node->input(input);
  const ValueType& type = value.type();
  Operand operand = shared_inputs_[input];
  if (value.node->op().traits.weight) {
    ASSIGN_OR_RETURN(ZeroedMemory memory,
                     MakeWeight(type.tensor, registry.layout(layouts_[input])));
    operand.tensor = ViewOf(type, memory.data());
    copy->weights.push_back(std::move(memory));
  } else if (type.kind == TypeKind::kKv) {
    operand.kv = copy->cache->view(0);
  }
  return operand;
}

absl::Status OpCase::AddCopy(const KernelRegistry& registry) {
  Copy& copy = copies_.emplace_back();
  // Ops that use positions get them from a cache, one made for them if they read none.
  TensorType cache{DType::kF16, {1, 2}};
  for (const Value& input : op_.node->inputs()) {
    if (input.type().kind == TypeKind::kKv) cache = input.type().tensor;
  }
  RETURN_IF_ERROR(MakeCache(cache, &copy));
  for (int i = 0; i < static_cast<int>(op_.node->inputs().size()); ++i) {
    ASSIGN_OR_RETURN(Operand operand, MakeInput(i, registry, &copy));
    copy.inputs.push_back(operand);
  }
  copy.outputs = outputs_;
  if (op_.node->op().traits.aliases_input >= 0) {
    copy.outputs[0] = copy.inputs[op_.node->op().traits.aliases_input];
  }
  copy.args = std::make_unique<KernelArgs>(KernelArgs{.inputs = copy.inputs,
                                                      .outputs = copy.outputs,
                                                      .attrs = op_.node->attrs(),
                                                      .batch = &copy.batch,
                                                      .workspace = workspace_.data(),
                                                      .scratch = scratch_.data(),
                                                      .bound = bound_.constants.get()});
  return absl::OkStatus();
}

absl::Status OpCase::MoveTo(MemorySpace& space) {
  struct Moved {
    std::span<const std::byte> from;
    std::byte* to;
  };
  std::vector<Moved> all;
  auto move = [&](const std::byte* from, uint64_t bytes) -> absl::Status {
    ASSIGN_OR_RETURN(std::unique_ptr<SpaceMemory> memory, space.Allocate(bytes));
    RETURN_IF_ERROR(space.Upload({from, bytes}, memory->data()));
    all.push_back({{from, bytes}, memory->data()});
    moved_.push_back(std::move(memory));
    return absl::OkStatus();
  };
  auto translate = [&](std::byte*& at) {
    for (const Moved& moved : all) {
      if (at < moved.from.data() || at >= moved.from.data() + moved.from.size()) continue;
      at = moved.to + (at - moved.from.data());
      return;
    }
  };
  RETURN_IF_ERROR(move(workspace_.data(), workspace_.bytes()));
  for (const ZeroedMemory& tensor : tensors_) RETURN_IF_ERROR(move(tensor.data(), tensor.bytes()));
  for (const Copy& copy : copies_) {
    for (const ZeroedMemory& weight : copy.weights) {
      RETURN_IF_ERROR(move(weight.data(), weight.bytes()));
    }
    const std::span<const std::byte> cache = copy.cache->cpu_memory();
    RETURN_IF_ERROR(move(cache.data(), cache.size()));
  }
  for (Copy& copy : copies_) {
    for (std::vector<Operand>* side : {&copy.inputs, &copy.outputs}) {
      for (Operand& operand : *side) {
        translate(operand.tensor.data);
        translate(operand.kv.k);
        translate(operand.kv.v);
      }
    }
    translate(copy.args->workspace);
  }
  return absl::OkStatus();
}

absl::Status OpCase::MapMemory(const Backend& backend) {
  if (backend.memory() != nullptr) {
    RETURN_IF_ERROR(MoveTo(*backend.memory()));
    waits_ = true;
    ASSIGN_OR_RETURN(device_, backend.MakeContext({}));
    return absl::OkStatus();
  }
  std::vector<MemorySpan> spans;
  auto add = [&](MemorySpan::Use use, const ZeroedMemory& memory) {
    spans.push_back({use, {memory.data(), memory.bytes()}});
  };
  add(MemorySpan::Use::kActivations, workspace_);
  for (const ZeroedMemory& tensor : tensors_) add(MemorySpan::Use::kActivations, tensor);
  for (const Copy& copy : copies_) {
    for (const ZeroedMemory& weight : copy.weights) add(MemorySpan::Use::kWeights, weight);
    spans.push_back({MemorySpan::Use::kCache, copy.cache->cpu_memory()});
  }
  ASSIGN_OR_RETURN(device_, backend.MakeContext(spans));
  return absl::OkStatus();
}

absl::Status OpCase::AddSegments(const Request& request, const KernelRegistry& registry) {
  const KernelInfo* info = registry.kernel(kernel_);
  const Backend& backend = *registry.backend(DeviceOf(info->target));
  RETURN_IF_ERROR(MapMemory(backend));
  const size_t steps_each = static_cast<size_t>(request.steps);
  const size_t count = (copies_.size() + steps_each - 1) / steps_each;
  for (size_t segment = 0; segment < count; ++segment) {
    std::vector<PreparedStep> steps;
    std::vector<KernelArgs> args;
    auto add = [&](const OpCase& of, size_t copy) {
      PreparedStep& step = steps.emplace_back();
      step.node = of.op_.node;
      step.bound = of.bound_;
      step.number = static_cast<int32_t>(steps.size()) - 1;
      args.push_back(*of.copies_[copy % of.copies_.size()].args);
      if (IsSliced(of.target_)) step.mode = StepMode::kSliced;
      // After a step that runs alone on simd, the other threads must wait.
      step.barrier_after = IsSliced(of.target_) || (request.fed && IsSliced(request.writers_on));
    };
    for (size_t i = 0; i < steps_each; ++i) {
      for (const std::unique_ptr<OpCase>& writer : writers_) add(*writer, i);
      if (!request.writers_alone) add(*this, segment * steps_each + i);
    }
    steps.back().barrier_after = false;
    ASSIGN_OR_RETURN(std::unique_ptr<CompiledSegment> made,
                     backend.Prepare(std::move(steps), scratch_stride_));
    segments_.push_back({std::move(made), std::move(args)});
  }
  return absl::OkStatus();
}

}  // namespace infer
