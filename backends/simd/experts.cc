// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/experts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "backends/formats/kernel_name.h"
#include "backends/formats/weight_types.h"
#include "backends/simd/expert_products.h"
#include "backends/simd/levels/choose_level.h"
#include "backends/simd/weight_layouts.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::simd {
namespace {

constexpr CpuPhase kPrepare = {
    .run = [](const KernelArgs& args, int64_t begin,
              int64_t end) { ExpertProducts(args).Prepare(begin, end); },
    .units = [](const KernelArgs& args) { return ExpertProducts(args).PrepareUnits(); }};

constexpr CpuPhase kRun = {
    .run = [](const KernelArgs& args, int64_t begin,
              int64_t end) { ExpertProducts(args).Run(begin, end); },
    .units = [](const KernelArgs& args) { return ExpertProducts(args).Units(); }};

Decision AcceptsKind(LinearKind kind) {
  if (ChosenLevel().level == nullptr) return Decision::Reject(ChosenLevel().reason);
  if (kind == LinearKind::kTiles && ChosenLevel().level->linear_tiles == nullptr) {
    return Decision::Reject(StrCat("level ", ChosenLevel().level->name, " has no tiles"));
  }
  if (kind == LinearKind::kInvariant && ChosenLevel().level->linear_invariant == nullptr) {
    return Decision::Reject(StrCat("the other products of level ", ChosenLevel().level->name,
                                   " do not depend on the number of rows either"));
  }
  return Decision::Accept();
}

Decision AcceptsAll(const Node& node, LinearKind kind) {
  Decision decision = AcceptsKind(kind);
  if (!decision.accepted()) return decision;
  const int64_t experts = node.input(1).type().dim(0).value();
  if (experts > kMaxExperts) {
    return Decision::Reject(
        StrCat(experts, " experts; this kernel sorts rows of up to ", kMaxExperts));
  }
  bool any_tiles = false;
  for (int i = 1; i < node.op().traits.expert_input; ++i) {
    const DType dtype = node.input(i).type().tensor.dtype;
    any_tiles |= HasTiles(dtype);
    if (KernelFor(dtype, kind) != nullptr) continue;
    return Decision::Reject(StrCat("level ", ChosenLevel().level->name, " has no product for ",
                                   Name(dtype), " weights"));
  }
  if (kind == LinearKind::kTiles && !any_tiles) {
    return Decision::Reject(
        StrCat("level ", ChosenLevel().level->name, " has no tiles for the weights' types"));
  }
  return Decision::Accept();
}

template <LinearKind kKind>
Decision Accepts(const Node& node) {
  return AcceptsAll(node, kKind);
}

template <DType kType, LinearKind kKind>
Decision AcceptsOne(const Node& node) {
  const DType found = node.input(1).type().tensor.dtype;
  if (found == kType) return AcceptsAll(node, kKind);
  return Decision::Reject(StrCat("weight is ", Name(found), "; this kernel reads ", Name(kType)));
}

// An expert may have any number of rows up to the number of tokens. With tiles the class of a row
// depends on that number.
template <LinearKind kKind>
std::string Numerics(const Node& node, Range rows) {
  if (kKind == LinearKind::kTiles) return {};
  std::string numerics(ChosenLevel().level->name);
  std::string_view last;
  for (int i = 1; i < node.op().traits.expert_input; ++i) {
    const LinearKernel* kernel = KernelFor(node.input(i).type().tensor.dtype, kKind);
    const std::string_view one = kernel->numerics == nullptr ? "" : kernel->numerics(1, rows.max);
    if (one.empty()) return {};
    if (one != last) StrAppend(&numerics, last.empty() ? " " : "+", one);
    last = one;
  }
  return numerics;
}

// Units depend on how many rows each expert has, and none owns a part of the result.
Partition ByExpert(const Node& node) {
  return {.domain = PartitionDomain::kTiles,
          .extent = CountElements(node.result().type.tensor.shape).value_or(SymbolicCount{}),
          .granule = kColumnGranule};
}

template <LinearKind kKind>
std::shared_ptr<const void> Bind(const Node& node) {
  return BindExperts(node, kKind);
}

template <LinearKind kKind>
constexpr CpuKernel Row(std::string_view name, const OpDef* op, Decision (*accepts)(const Node&)) {
  return {.info = {.name = name,
                   .op = op,
                   .target = Target::kSimd,
                   .accepts = accepts,
                   .min_rows = kKind == LinearKind::kTiles ? kTileMinRows : 1,
                   .partition = ByExpert,
                   .rounds_activations = kKind != LinearKind::kFloat,
                   .numerics = Numerics<kKind>,
                   .weight_layout = kKind == LinearKind::kFloat       ? nullptr
                                    : kKind == LinearKind::kInvariant ? InvariantLayout
                                                                      : PackedLayout,
                   .workspace_bytes = ExpertWorkspaceBytes,
                   .scratch_bytes = ExpertScratchBytes},
          .run = kRun.run,
          .units = kRun.units,
          .prepare = kPrepare,
          .bind = Bind<kKind>};
}

constexpr size_t kRowsPerType = 4;

// The kernels of one weight type. The first that qualifies is chosen.
template <DType kType>
constexpr std::array<CpuKernel, kRowsPerType> RowsOf() {
  return {
      Row<LinearKind::kTiles>(KernelName<"expert_linear", kType, "tiles_simd">, &ops::kExpertLinear,
                              AcceptsOne<kType, LinearKind::kTiles>),
      Row<LinearKind::kFast>(KernelName<"expert_linear", kType, "simd">, &ops::kExpertLinear,
                             AcceptsOne<kType, LinearKind::kFast>),
      Row<LinearKind::kInvariant>(KernelName<"expert_linear", kType, "rows_simd">,
                                  &ops::kExpertLinear, AcceptsOne<kType, LinearKind::kInvariant>),
      Row<LinearKind::kFloat>(KernelName<"expert_linear", kType, "float_simd">, &ops::kExpertLinear,
                              AcceptsOne<kType, LinearKind::kFloat>)};
}

constexpr CpuKernel kFusedRows[] = {
    Row<LinearKind::kTiles>("expert_swiglu_tiles_simd", &ops::kExpertSwiglu,
                            Accepts<LinearKind::kTiles>),
    Row<LinearKind::kFast>("expert_swiglu_simd", &ops::kExpertSwiglu, Accepts<LinearKind::kFast>),
    Row<LinearKind::kInvariant>("expert_swiglu_rows_simd", &ops::kExpertSwiglu,
                                Accepts<LinearKind::kInvariant>),
    Row<LinearKind::kFloat>("expert_swiglu_float_simd", &ops::kExpertSwiglu,
                            Accepts<LinearKind::kFloat>),
};

constexpr size_t kNumTypes = std::size(formats::kWeightTypes);
constexpr auto kTable = []<size_t... kAt>(std::index_sequence<kAt...>) {
  std::array<CpuKernel, kRowsPerType * kNumTypes + std::size(kFusedRows)> table{};
  auto next = table.begin();
  ((next = std::ranges::copy(RowsOf<formats::kWeightTypes[kAt].dtype>(), next).out), ...);
  std::ranges::copy(kFusedRows, next);
  return table;
}(std::make_index_sequence<kNumTypes>());

}  // namespace

std::span<const CpuKernel> ExpertTable() { return kTable; }

}  // namespace infer::simd
