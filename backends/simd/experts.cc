// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/experts.h"

#include <array>

#include "backends/simd/expert_products.h"
#include "backends/simd/product_rows.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::simd {
namespace {

constexpr CpuPhase kPrepareExperts = {
    .run = [](const KernelArgs& args, int64_t begin,
              int64_t end) { ExpertProducts(args).Prepare(begin, end); },
    .units = [](const KernelArgs& args) { return ExpertProducts(args).PrepareUnits(); }};

constexpr CpuPhase kRunExperts = {
    .run = [](const KernelArgs& args, int64_t begin,
              int64_t end) { ExpertProducts(args).Run(begin, end); },
    .units = [](const KernelArgs& args) { return ExpertProducts(args).Units(); }};

int NumExpertWeights(const Node& node) { return node.op().traits.expert_input - 1; }

Decision AcceptsExperts(const Node& node) {
  const int64_t experts = node.input(1).type().dim(0).value();
  if (experts <= kMaxExperts) return Decision::Accept();
  return Decision::Reject(
      StrCat(experts, " experts; this kernel sorts rows of up to ", kMaxExperts));
}

template <LinearKind kKind>
Decision AcceptsExpertWeights(const Node& node) {
  Decision decision = AcceptsProducts(node, NumExpertWeights(node), kKind);
  return decision.accepted() ? AcceptsExperts(node) : decision;
}

// An expert may have any number of rows up to the number of tokens. With tiles the class of a row
// depends on that number.
template <LinearKind kKind>
std::string ExpertNumerics(const Node& node, Range rows) {
  if (kKind == LinearKind::kTiles) return {};
  return NumericsOfProducts(node, NumExpertWeights(node), kKind, {1, rows.max});
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

struct ExpertLinear {
  static constexpr NamePart kName = "expert_linear";
  static constexpr const OpDef* kOp = &ops::kExpertLinear;
  static Decision Accepts(const Node& node) { return AcceptsExperts(node); }
  template <LinearKind kKind>
  static constexpr CpuKernel Row(std::string_view name, const OpDef* op,
                                 Decision (*accepts)(const Node&)) {
    return {.info = {.name = name,
                     .op = op,
                     .target = Target::kSimd,
                     .accepts = accepts,
                     .min_rows = kKind == LinearKind::kTiles ? kTileMinRows : 1,
                     .partition = ByExpert,
                     .rounds_activations = kKind != LinearKind::kFloat,
                     .numerics = ExpertNumerics<kKind>,
                     .weight_layout = LayoutOf(kKind),
                     .workspace_bytes = ExpertWorkspaceBytes,
                     .scratch_bytes = ExpertScratchBytes},
            .run = kRunExperts.run,
            .units = kRunExperts.units,
            .prepare = kPrepareExperts,
            .bind = Bind<kKind>};
  }
};

constexpr std::array kFusedExpertRows = {
    ExpertLinear::Row<LinearKind::kTiles>("expert_swiglu_tiles_simd", &ops::kExpertSwiglu,
                                          AcceptsExpertWeights<LinearKind::kTiles>),
    ExpertLinear::Row<LinearKind::kFast>("expert_swiglu_simd", &ops::kExpertSwiglu,
                                         AcceptsExpertWeights<LinearKind::kFast>),
    ExpertLinear::Row<LinearKind::kInvariant>("expert_swiglu_rows_simd", &ops::kExpertSwiglu,
                                              AcceptsExpertWeights<LinearKind::kInvariant>),
    ExpertLinear::Row<LinearKind::kFloat>("expert_swiglu_float_simd", &ops::kExpertSwiglu,
                                          AcceptsExpertWeights<LinearKind::kFloat>),
};

constexpr auto kExpertTable = Joined(ProductRows<ExpertLinear>(), kFusedExpertRows);

}  // namespace

std::span<const CpuKernel> ExpertTable() { return kExpertTable; }

}  // namespace infer::simd
