// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/crossovers.h"

#include <span>

#include "ir/status_macros.h"
#include "ir/strings.h"

namespace infer {
namespace {

// A tie goes to the target with less to it.
constexpr double kClearly = 0.97;

bool Beats(const std::optional<double>& ns, const std::optional<double>& other) {
  return ns && (!other || *ns < kClearly * *other);
}

using Times = std::optional<double> CrossoverPoint::*;

// From the first size on from which `better` beats `other` at every size.
void ConcludeOne(const std::vector<CrossoverPoint>& points, Times better, Times other,
                 Crossover::From* from, int64_t* size) {
  size_t first = points.size();
  while (first > 0 && Beats(points[first - 1].*better, points[first - 1].*other)) --first;
  *from = first == 0               ? Crossover::From::kAlways
          : first == points.size() ? Crossover::From::kNever
                                   : Crossover::From::kSize;
  *size = *from == Crossover::From::kSize ? points[first].size : 0;
}

struct Sweep {
  const char* op;
  const char* unit;
  int64_t rows_from, rows_to;        // doubled
  int64_t columns_from, columns_to;  // doubled after the rows
};

// Products grow by columns, from less than any model has; other ops by rows, because one row is for
// one thread.
constexpr Sweep kSweeps[] = {
    {"linear", "flops", 1, 1, 32, 4096},           {"linear_add", "flops", 1, 1, 32, 4096},
    {"multi_linear", "flops", 1, 1, 32, 4096},     {"add", "elements", 1, 64, 256, 256},
    {"add_rms_norm", "elements", 1, 64, 256, 256}, {"attention_inputs", "elements", 1, 64, 0, 0},
    {"mul", "elements", 1, 64, 256, 256},          {"qk_norm_rope", "elements", 1, 64, 0, 0},
    {"rms_norm", "elements", 1, 64, 256, 256},     {"swiglu", "elements", 1, 64, 256, 256},
};

OpShape ShapeOf(const Sweep& sweep, int64_t rows, int64_t columns) {
  OpShape shape{.rows = rows, .columns = columns, .inner = 256};
  shape.type = sweep.columns_from == 0 ? DType::kF16 : DType::kQ8_0;
  if (sweep.columns_from == 0) shape.heads = 4, shape.kv_heads = 2, shape.head_dim = 64;
  return shape;
}

// Elements of the first result, as rules count them.
int64_t ElementsOf(const Sweep& sweep, const OpShape& shape) {
  return shape.rows * (sweep.columns_from == 0 ? shape.heads * shape.head_dim : shape.columns);
}

absl::StatusOr<CrossoverPoint> TimeAll(const Sweep& sweep, const OpShape& shape,
                                       KernelTimer& timer) {
  CrossoverPoint point;
  point.shape = StrCat(shape.rows, " rows");
  if (sweep.columns_from > 0) StrAppend(&point.shape, ", ", shape.columns, " columns");
  point.size = ElementsOf(sweep, shape);
  for (auto [target, ns] : {std::pair{Target::kScalar, &CrossoverPoint::scalar_ns},
                            {Target::kSimd, &CrossoverPoint::simd_ns},
                            {Target::kParallel, &CrossoverPoint::parallel_ns}}) {
    ASSIGN_OR_RETURN(std::optional<KernelTime> time,
                     timer.Time({.op = sweep.op, .shape = shape, .target = target, .steps = 16}));
    if (!time) continue;
    point.*ns = time->ns;
    if (std::string_view(sweep.unit) == "flops") point.size = static_cast<int64_t>(time->flops);
  }
  return point;
}

}  // namespace

void Conclude(Crossover* crossover) {
  ConcludeOne(crossover->points, &CrossoverPoint::simd_ns, &CrossoverPoint::scalar_ns,
              &crossover->simd, &crossover->simd_size);
  ConcludeOne(crossover->points, &CrossoverPoint::parallel_ns, &CrossoverPoint::simd_ns,
              &crossover->parallel, &crossover->parallel_size);
}

absl::StatusOr<std::vector<Crossover>> FindCrossovers(KernelTimer& timer) {
  std::vector<Crossover> crossovers;
  for (const Sweep& sweep : kSweeps) {
    Crossover crossover{.op = sweep.op, .unit = sweep.unit, .points = {}};
    for (int64_t rows = sweep.rows_from; rows <= sweep.rows_to; rows *= 2) {
      int64_t columns = sweep.columns_from;
      do {
        ASSIGN_OR_RETURN(CrossoverPoint point,
                         TimeAll(sweep, ShapeOf(sweep, rows, columns), timer));
        if (point.simd_ns || point.parallel_ns) crossover.points.push_back(std::move(point));
        columns *= 2;
      } while (columns > 0 && columns <= sweep.columns_to);
    }
    if (crossover.points.empty()) continue;
    Conclude(&crossover);
    crossovers.push_back(std::move(crossover));
  }
  return crossovers;
}

}  // namespace infer
