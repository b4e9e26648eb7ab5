// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/linear.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "backends/scalar/partitions.h"
#include "backends/simd/levels/choose_level.h"
#include "backends/simd/memory_sizes.h"
#include "backends/simd/product_rows.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"

namespace infer::simd {
namespace {

// The functions for a node's products, chosen when the node is bound.
struct BoundLinear {
  const ActivationMaker* makers;              // indexed by form
  std::vector<const LinearKernel*> products;  // one for each weight
};

template <LinearKind kKind>
std::shared_ptr<const void> BindLinear(const Node& node) {
  auto bound = std::make_shared<BoundLinear>();
  bound->makers = ChosenLevel().level->makers;
  for (int i = 0; i < node.num_results(); ++i) {
    bound->products.push_back(KernelFor(node.input(1 + i).type().tensor.dtype, kKind));
  }
  return bound;
}

// The products of a node: one per weight, which follow x.
class Products {
 public:
  explicit Products(const KernelArgs& args)
      : args_(args),
        bound_(args.constants<BoundLinear>()),
        tokens_(args.in(0).rows()),
        inner_(args.in(0).columns()) {
    uint64_t offset = 0;
    if (IsRounded()) return;
    for (int i = 0; i < count(); ++i) used_[static_cast<int>(FormOf(i))] = true;
    for (int form = 1; form < kNumActivationForms; ++form) {
      offsets_[form] = offset;
      if (used_[form]) offset += AlignUp(Maker(form).bytes(tokens_, inner_), kSlotAlignment);
    }
  }

  int64_t PrepareUnits() const {
    int64_t units = 0;
    for (int form = 1; form < kNumActivationForms; ++form) {
      if (used_[form]) units += Maker(form).units(tokens_, inner_);
    }
    return units;
  }

  void Prepare(int64_t begin, int64_t end) const {
    for (int form = 1; form < kNumActivationForms; ++form) {
      if (!used_[form]) continue;
      const int64_t units = Maker(form).units(tokens_, inner_);
      const int64_t first = std::max<int64_t>(begin, 0), last = std::min(end, units);
      if (first < last) {
        Maker(form).prepare(args_.in(0).f32(), tokens_, inner_, first, last,
                            args_.workspace + offsets_[form]);
      }
      begin -= units;
      end -= units;
    }
  }

  int64_t Units() const {
    int64_t units = 0;
    for (int i = 0; i < count(); ++i) units += UnitsOfPart(i);
    return units;
  }

  void Run(int64_t begin, int64_t end) const {
    for (int i = 0; i < count(); ++i) {
      const int64_t units = UnitsOfPart(i);
      const int64_t first = std::max<int64_t>(begin, 0), last = std::min(end, units);
      if (first < last) RunPart(i, first, last);
      begin -= units;
      end -= units;
    }
  }

 private:
  int count() const { return static_cast<int>(args_.outputs.size()); }
  bool IsRounded() const { return args_.in(0).dtype == DType::kBF16; }
  const LinearKernel& Kernel(int i) const { return *bound_.products[i]; }
  ActivationForm FormOf(int i) const { return Kernel(i).form(tokens_); }
  const ActivationMaker& Maker(int form) const { return bound_.makers[form]; }
  int64_t ColumnUnits(int i) const {
    return (args_.in(1 + i).dim(0) + kColumnGranule - 1) / kColumnGranule;
  }
  int64_t RowParts(int i) const {
    return Kernel(i).row_parts == nullptr ? 1 : Kernel(i).row_parts(tokens_, inner_);
  }
  int64_t UnitsOfPart(int i) const { return ColumnUnits(i) * RowParts(i); }

  // Units are columns of the first rows, then of the next ones. Adjacent units become one call, so
  // that weights are read as one stream.
  void RunPart(int i, int64_t begin, int64_t end) const {
    const int64_t columns = ColumnUnits(i), parts = RowParts(i);
    const int64_t outputs = args_.in(1 + i).dim(0);
    while (begin < end) {
      const int64_t part = begin / columns;
      const int64_t last = std::min(end, (part + 1) * columns);
      Kernel(i).run(Call(i, RowsBefore(part, parts), RowsBefore(part + 1, parts)),
                    (begin - part * columns) * kColumnGranule,
                    std::min((last - part * columns) * kColumnGranule, outputs));
      begin = last;
    }
  }

  // The first row of a part: a multiple of 16, which every form of the activations can begin with.
  int64_t RowsBefore(int64_t part, int64_t parts) const {
    return part == parts ? tokens_ : tokens_ * part / parts / 16 * 16;
  }

  LinearCall Call(int i, int64_t first, int64_t last) const {
    LinearCall call = {.weight = args_.in(1 + i).data,
                       .inner = inner_,
                       .outputs = args_.in(1 + i).dim(0),
                       .tokens = last - first,
                       .activations = args_.in(0).data,
                       .out = args_.out(i).mutable_f32() + first * args_.out(i).stride(),
                       .out_stride = args_.out(i).stride(),
                       .scratch = args_.scratch};
    if (IsRounded()) {
      call.bf16_stride = inner_ * int64_t{sizeof(uint16_t)};
      call.activations += first * call.bf16_stride;
    } else if (const int form = static_cast<int>(FormOf(i)); form > 0) {
      call.activations = args_.workspace + offsets_[form];
      if (first > 0) call.activations += Maker(form).bytes(first, inner_);
    }
    return call;
  }

  const KernelArgs& args_;
  const BoundLinear& bound_;
  int64_t tokens_;
  int64_t inner_;
  std::array<bool, kNumActivationForms> used_ = {};
  std::array<uint64_t, kNumActivationForms> offsets_ = {};
};

constexpr CpuPhase kPrepareLinear = {
    .run = [](const KernelArgs& args, int64_t begin,
              int64_t end) { Products(args).Prepare(begin, end); },
    .units = [](const KernelArgs& args) { return Products(args).PrepareUnits(); }};

constexpr CpuPhase kRunLinear = {
    .run = [](const KernelArgs& args, int64_t begin,
              int64_t end) { Products(args).Run(begin, end); },
    .units = [](const KernelArgs& args) { return Products(args).Units(); }};

int NumLinearWeights(const Node& node) { return static_cast<int>(node.inputs().size()) - 1; }

Decision AcceptsMatrices(const Node& node) {
  for (int i = 1; i <= NumLinearWeights(node); ++i) {
    if (node.input(i).type().rank() != 2) return Decision::Reject("the weight is not a matrix");
  }
  return Decision::Accept();
}

template <LinearKind kKind>
Decision AcceptsLinear(const Node& node) {
  Decision decision = AcceptsProducts(node, NumLinearWeights(node), kKind);
  return decision.accepted() ? AcceptsMatrices(node) : decision;
}

// Bytes for rounded activations: the forms of quantised and of float weights.
uint64_t LinearWorkspaceBytes(const Node& node, const SymbolRanges& symbols) {
  if (!node.input(0).type().is_tensor(DType::kF32)) return 0;  // rounded already
  bool quantized = false, plain = false;
  for (int i = 1; i < static_cast<int>(node.inputs().size()); ++i) {
    const DType dtype = node.input(i).type().tensor.dtype;
    if (node.input(i).type().rank() != 2) continue;
    (IsQuantized(dtype) ? quantized : plain) = true;
  }
  const ValueType& x = node.input(0).type();
  const uint64_t form =
      ActivationBytesBound(x.dim(0).At(symbols.Highest()), x.dim(1).At(symbols.Highest()));
  return (quantized ? form : 0) + (plain ? form : 0);
}

uint64_t LinearScratchBytes(const Node& node, const SymbolRanges& symbols) {
  return LinearScratchBound(node.input(0).type().dim(1).At(symbols.Highest()));
}

template <LinearKind kKind>
std::string LinearNumerics(const Node& node, Range rows) {
  return NumericsOfProducts(node, NumLinearWeights(node), kKind, rows);
}

Partition ByColumns(const Node& node) { return partitions::Columns(node, kColumnGranule); }
// Units divide rows too, so that they own no columns.
Partition ByTiles(const Node& node) {
  Partition partition = ByColumns(node);
  partition.own_inputs.clear();
  partition.own_results.clear();
  return partition;
}

struct Linear {
  static constexpr NamePart kName = "linear";
  static constexpr const OpDef* kOp = &ops::kLinear;
  static Decision Accepts(const Node& node) { return AcceptsMatrices(node); }
  template <LinearKind kKind>
  static constexpr CpuKernel Row(std::string_view name, const OpDef* op,
                                 Decision (*accepts)(const Node&)) {
    constexpr bool kRounds = kKind != LinearKind::kFloat;
    return {.info = {.name = name,
                     .op = op,
                     .target = Target::kSimd,
                     .accepts = accepts,
                     .min_rows = kKind == LinearKind::kTiles ? kTileMinRows : 1,
                     .partition = kKind == LinearKind::kTiles || kKind == LinearKind::kInvariant
                                      ? ByTiles
                                      : ByColumns,
                     .rounds_activations = kRounds,
                     .takes_rounded = kKind == LinearKind::kTiles,
                     .strided_rows = true,
                     .numerics = LinearNumerics<kKind>,
                     .weight_layout = LayoutOf(kKind),
                     .workspace_bytes = kRounds ? LinearWorkspaceBytes : nullptr,
                     .scratch_bytes = LinearScratchBytes},
            .run = kRunLinear.run,
            .units = kRunLinear.units,
            .prepare = kPrepareLinear,
            .bind = BindLinear<kKind>};
  }
};

constexpr std::array kFusedLinearRows = {
    Linear::Row<LinearKind::kTiles>("multi_linear_tiles_simd", &ops::kMultiLinear,
                                    AcceptsLinear<LinearKind::kTiles>),
    Linear::Row<LinearKind::kFast>("multi_linear_simd", &ops::kMultiLinear,
                                   AcceptsLinear<LinearKind::kFast>),
    Linear::Row<LinearKind::kInvariant>("multi_linear_rows_simd", &ops::kMultiLinear,
                                        AcceptsLinear<LinearKind::kInvariant>),
    Linear::Row<LinearKind::kFloat>("multi_linear_float_simd", &ops::kMultiLinear,
                                    AcceptsLinear<LinearKind::kFloat>),
};

constexpr auto kLinearTable = Joined(ProductRows<Linear>(), kFusedLinearRows);

}  // namespace

std::span<const CpuKernel> LinearTable() { return kLinearTable; }

// Two bytes per element: bf16 and f16 need them, and int8 with scales and sums stays below 1.5.
// Rows are padded to tiles of at most 16 and may have one scale each.
uint64_t ActivationBytesBound(int64_t tokens, int64_t inner) {
  return AlignUp(tokens, 16) * (AlignUp(inner, 64) * 2 + 4) + 4096;
}

// The maximum over all levels: 32 weight rows as floats; or a block of them in bf16, the sums of
// 512 rows, and the last 16 rows.
uint64_t LinearScratchBound(int64_t inner) { return AlignUp(inner, 64) * 192 + (128 << 10); }

}  // namespace infer::simd
