// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/crossovers.h"

#include <algorithm>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// A tie goes to the simpler target; among products on all threads it goes to all threads.
constexpr double kClearly = 0.97;

bool Beats(const std::optional<double>& ns, const std::optional<double>& other) {
  return ns && (!other || *ns < kClearly * *other);
}

bool SimdBeatsScalar(const CrossoverPoint& point) { return Beats(point.simd_ns, point.scalar_ns); }

bool ParallelBeatsSimd(const CrossoverPoint& point) {
  if (!point.among_spread_ns) return Beats(point.parallel_ns, point.simd_ns);
  if (!point.parallel_ns || !point.simd_ns) return point.parallel_ns.has_value();
  const double saved = *point.parallel_ns - *point.simd_ns;
  return !Beats(point.simd_ns, point.parallel_ns) || saved <= 2 * *point.among_spread_ns;
}

// Finds the smallest size from which on `beats` holds at every measured size.
void ConcludeOne(const std::vector<CrossoverPoint>& points, bool (*beats)(const CrossoverPoint&),
                 Crossover::From* from, int64_t* size) {
  size_t first = points.size();
  while (first > 0 && beats(points[first - 1])) --first;
  *from = first == 0               ? Crossover::From::kAlways
          : first == points.size() ? Crossover::From::kNever
                                   : Crossover::From::kSize;
  *size = *from == Crossover::From::kSize ? points[first].size : 0;
}

struct Sweep {
  const char* op;
  const char* unit;
  bool by_columns;   // else by rows
  int64_t from, to;  // doubled from step to step
  bool among;        // timed between products, while their time does not drown it
};

// With more rows the products take a hundred times as long as the op between them.
constexpr int64_t kMostRowsAmong = 4;
constexpr int kCrossoverLayers = 16;

// One op of each family that a model has. Products grow by columns, starting below what any model
// has; other ops grow by rows, because one row runs on one thread.
constexpr Sweep kSweeps[] = {
    {"linear", "flops", true, 32, 4096, false},
    {"attention", "elements", false, 1, 64, false},
    {"attention_inputs", "elements", false, 1, 64, true},
    {"rms_norm", "elements", false, 1, 64, true},
    {"swiglu", "elements", false, 1, 64, true},
};

// As in a small model: rows of 256, which are 4 heads of 64.
OpShape ShapeOf(const Sweep& sweep, int64_t size) {
  OpShape shape{.rows = 1, .columns = 256, .inner = 256, .heads = 4, .kv_heads = 2, .head_dim = 64};
  (sweep.by_columns ? shape.columns : shape.rows) = size;
  shape.depth = 64;
  shape.type = ReadsCache(sweep.op) ? DType::kF16 : DType::kQ8_0;
  return shape;
}

absl::StatusOr<CrossoverPoint> TimeAll(const Sweep& sweep, const OpShape& shape, int64_t threads,
                                       KernelTimer& timer) {
  CrossoverPoint point;
  const bool among = sweep.among && threads > 1 && shape.rows <= kMostRowsAmong;
  if (among) point.among_spread_ns = 0;
  point.shape =
      StrCat(shape.rows, shape.rows == 1 ? " row, " : " rows, ", shape.columns, " columns");
  point.size = shape.rows * shape.columns;  // elements of the result, as rules count them
  for (auto [target, ns] : {std::pair{Target::kScalar, &CrossoverPoint::scalar_ns},
                            {Target::kSimd, &CrossoverPoint::simd_ns},
                            {Target::kParallel, &CrossoverPoint::parallel_ns}}) {
    ASSIGN_OR_RETURN(std::optional<KernelTime> time,
                     timer.Time({.op = sweep.op,
                                 .shape = shape,
                                 .target = target,
                                 .copies = among ? kCrossoverLayers : 1,
                                 .steps = kCrossoverLayers,
                                 .fed = among,
                                 .writers_on = Target::kParallel}));
    if (!time) continue;
    if (among) point.among_spread_ns = std::max(*point.among_spread_ns, time->spread_ns);
    point.*ns = time->ns;
    if (std::string_view(sweep.unit) == "flops") point.size = static_cast<int64_t>(time->flops);
  }
  return point;
}

}  // namespace

void Conclude(Crossover* crossover) {
  ConcludeOne(crossover->points, SimdBeatsScalar, &crossover->simd, &crossover->simd_size);
  ConcludeOne(crossover->points, ParallelBeatsSimd, &crossover->parallel,
              &crossover->parallel_size);
}

absl::StatusOr<std::vector<Crossover>> FindCrossovers(KernelTimer& timer, int64_t threads) {
  std::vector<Crossover> crossovers;
  for (const Sweep& sweep : kSweeps) {
    Crossover crossover{.op = sweep.op, .unit = sweep.unit, .points = {}};
    for (int64_t size = sweep.from; size <= sweep.to; size *= 2) {
      ASSIGN_OR_RETURN(CrossoverPoint point, TimeAll(sweep, ShapeOf(sweep, size), threads, timer));
      if (point.simd_ns || point.parallel_ns) crossover.points.push_back(std::move(point));
    }
    if (crossover.points.empty()) continue;
    Conclude(&crossover);
    crossovers.push_back(std::move(crossover));
  }
  return crossovers;
}

}  // namespace infer
