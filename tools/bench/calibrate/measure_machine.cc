// SPDX-License-Identifier: Apache-2.0
//
// A kernel's time is split into a fixed cost and a rate by timing one row at two sizes; with more
// rows the fixed cost is taken as known. Arithmetic is timed on weights that fit in the
// second-level cache, reading on one row of weights that do not. On a GPU a run has more steps, so
// that submitting it and waiting for it do not count. Its products and attentions of one, few and
// many rows are different series of kernels, which read weights in different ways: every number of
// rows is timed at two sizes, products with weights from memory and attentions with and without a
// history, and has its own fixed cost.
#include "tools/bench/calibrate/measure_machine.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ir/base/status_macros.h"
#include "passes/machines.h"
#include "tools/bench/cache_size.h"
#include "tools/bench/op_node.h"

namespace infer {
namespace {

// Where a step reads its weights from: the second-level cache, the last-level cache, memory.
enum class Weights : uint8_t { kHot, kCached, kCold };
// 3 MB each in q8_0: together more than a second-level cache holds.
constexpr int kCachedCopies = 4;
constexpr int64_t kInner = 1024;

// A weight of 4 MiB in f32, of which several are read in turn to find out what the cache holds.
constexpr OpShape kCacheShape = {.rows = 1, .columns = 1024, .inner = 1024, .type = DType::kF32};
constexpr int64_t kCacheShapeBytes = int64_t{4} << 20;

constexpr int kLayers = 16;  // as in a small model
constexpr int kSteps = 8, kGpuSteps = 64;

bool IsGpu(Target target) { return RecordOf(DeviceOf(target)).is_gpu; }
int StepsOn(Target target) { return IsGpu(target) ? kGpuSteps : kSteps; }

// A row of a small model; for ops with heads, 4 heads of 128.
OpShape SmallRow() {
  return {.rows = 1, .columns = 256, .heads = 4, .kv_heads = 2, .type = DType::kF16};
}

// A rate needs a positive time to divide by, whatever the fixed cost is.
double WithoutFixed(const KernelTime& time, double fixed_ns) {
  return std::max(time.ns - fixed_ns, 0.2 * time.ns);
}

class Calibration {
 public:
  Calibration(KernelTimer& timer, const MachineDescription& generic)
      : timer_(timer), generic_(generic) {}

  absl::StatusOr<MachineDescription> Run(std::span<const DType> types) {
    machine_.calibrated = true;
    machine_.cache_bytes = static_cast<int64_t>(LastLevelCacheBytes());
    for (const TargetRecord& record : kTargets) {
      if (record.is_special) continue;
      const Target target = record.target;
      RETURN_IF_ERROR(AddTarget(target));
      for (DType type : types) RETURN_IF_ERROR(AddLinear(target, type));
      for (DType type : {DType::kF16, DType::kQ8_0, DType::kF32}) {
        RETURN_IF_ERROR(AddAttention(target, type));
      }
      for (const std::string& op : BenchOps()) {
        if (op != "attention" && !op.ends_with("linear")) RETURN_IF_ERROR(AddRows(target, op));
      }
    }
    RETURN_IF_ERROR(MeasureCache());
    return std::move(machine_);
  }

 private:
  // Times the smallest op, so that what remains is the cost of the step itself.
  absl::Status AddTarget(Target target) {
    const OpShape shape{.columns = 8};
    ASSIGN_OR_RETURN(std::optional<KernelTime> chain,
                     timer_.Time({.op = "add", .shape = shape, .target = target, .steps = 32}));
    ASSIGN_OR_RETURN(std::optional<KernelTime> alone,
                     timer_.Time({.op = "add", .shape = shape, .target = target, .steps = 1}));
    step_ns_ = 0;
    if (!chain || !alone) return absl::OkStatus();
    step_ns_ = chain->ns;
    TargetCost cost{.target = target, .step_ns = chain->ns};
    if (IsSliced(target) || IsGpu(target)) cost.wake_ns = std::max(0.0, alone->ns - chain->ns);
    if (const TargetCost* known = generic_.FindCost(target); known != nullptr) {
      cost.boundary_ns = known->boundary_ns;  // not measured
      cost.copy_gb_s = known->copy_gb_s;
    }
    machine_.targets.push_back(cost);
    return absl::OkStatus();
  }

  // The system tells the size of the whole cache. A virtual machine, or a process beside others,
  // has a part of it: the most that is still read faster than halfway to the speed of memory.
  absl::Status MeasureCache() {
    auto ns_with = [&](int64_t bytes) -> absl::StatusOr<double> {  // 0 bytes: more than it holds
      TimedKernel product{.op = "linear", .shape = kCacheShape, .target = Target::kParallel};
      product.cold = bytes == 0;
      product.copies = static_cast<int>(std::max<int64_t>(1, bytes / kCacheShapeBytes));
      ASSIGN_OR_RETURN(std::optional<KernelTime> time, timer_.Time(product));
      return time ? time->ns : 0;
    };
    ASSIGN_OR_RETURN(const double slow_ns, ns_with(0));
    double fast_ns = 0;
    int64_t held = 0;
    for (int64_t bytes = 2 * kCacheShapeBytes; bytes <= machine_.cache_bytes; bytes *= 2) {
      ASSIGN_OR_RETURN(const double ns, ns_with(bytes));
      if (fast_ns == 0) fast_ns = ns;
      if (ns > std::sqrt(fast_ns * slow_ns)) break;
      held = bytes;
    }
    if (2 * held <= machine_.cache_bytes && held > 0) machine_.cache_bytes = held;
    return absl::OkStatus();
  }

  // Computes the fixed cost and the rate of one row from a small and a large size.
  void Split(const KernelTime& small, const KernelTime& large, KernelRate* rate) const {
    double gop_s = (large.flops - small.flops) / std::max(large.ns - small.ns, 0.2 * large.ns);
    rate->fixed_ns = std::max(0.0, large.ns - large.flops / gop_s - step_ns_);
    rate->rates = {{1, gop_s}};
  }

  double FixedNs(const KernelRate& rate) const { return step_ns_ + rate.fixed_ns; }

  absl::StatusOr<std::optional<KernelTime>> TimeLinear(const KernelRate& rate, int64_t rows,
                                                       int64_t columns,
                                                       Weights weights = Weights::kHot,
                                                       int64_t inner = kInner) {
    return timer_.Time({.op = "linear",
                        .shape = {.rows = rows,
                                  .columns = columns,
                                  .inner = inner,
                                  .type = FindDType(rate.type).value_or(DType::kF32)},
                        .target = rate.target,
                        .cold = weights == Weights::kCold,
                        .copies = weights == Weights::kCached ? kCachedCopies : 1,
                        .steps = StepsOn(rate.target)});
  }

  absl::Status AddLinear(Target target, DType type) {
    KernelRate rate{.target = target, .op = "linear", .type = std::string(Name(type))};
    ASSIGN_OR_RETURN(std::optional<KernelTime> small, TimeLinear(rate, 1, 64));
    // On a GPU a small product takes as long as a tiny one.
    ASSIGN_OR_RETURN(std::optional<KernelTime> large,
                     TimeLinear(rate, 1, IsGpu(target) ? 4096 : 256));
    if (!small || !large) return absl::OkStatus();
    Split(*small, *large, &rate);
    if (target == Target::kScalar) {  // it computes more slowly than any memory reads
      rate.gb_s = rate.cached_gb_s = large->bytes / WithoutFixed(*large, FixedNs(rate));
    } else {
      RETURN_IF_ERROR(IsGpu(target) ? AddRowsOnGpu(&rate) : AddRowsOfLinear(&rate));
      RETURN_IF_ERROR(AddReading(&rate));
    }
    AddWithDefault(std::move(rate), DType::kQ8_0);
    return absl::OkStatus();
  }

  // The outputs of the smallest and of the largest product in a layer of a small model.
  absl::Status AddRowsOnGpu(KernelRate* rate) {
    for (int64_t rows : {2, 4, 8, 16, 32, 64, 128, 512}) {
      ASSIGN_OR_RETURN(std::optional<KernelTime> small,
                       TimeLinear(*rate, rows, 1024, Weights::kCold));
      ASSIGN_OR_RETURN(std::optional<KernelTime> large,
                       TimeLinear(*rate, rows, 6144, Weights::kCold));
      if (small && large) AddRowRate(rows, *small, *large, rate);
    }
    return absl::OkStatus();
  }

  // The rate of a number of rows, and its fixed cost besides that of one row.
  void AddRowRate(int64_t rows, const KernelTime& small, const KernelTime& large,
                  KernelRate* rate) const {
    const double gop_s =
        (large.flops - small.flops) / std::max(large.ns - small.ns, 0.1 * large.ns);
    const double fixed_ns = large.ns - large.flops / gop_s - FixedNs(*rate);
    rate->rates.push_back({.rows = rows, .gop_s = gop_s, .fixed_ns = std::max(0.0, fixed_ns)});
  }

  absl::Status AddRowsOfLinear(KernelRate* rate) {
    for (int64_t rows : {2, 4, 8, 16, 32, 128, 512}) {
      ASSIGN_OR_RETURN(std::optional<KernelTime> many,
                       TimeLinear(*rate, rows, rows < 32 ? 256 : 1024));
      if (!many) continue;
      rate->rates.push_back({rows, many->flops / WithoutFixed(*many, FixedNs(*rate))});
    }
    // time(quarter) / time(full) = (inner / 4 + start) / (inner + start), solved for start.
    ASSIGN_OR_RETURN(std::optional<KernelTime> full, TimeLinear(*rate, 128, 1024));
    ASSIGN_OR_RETURN(std::optional<KernelTime> quarter,
                     TimeLinear(*rate, 128, 1024, Weights::kHot, kInner / 4));
    if (!full || !quarter) return absl::OkStatus();
    const double share = std::min(quarter->ns / full->ns, 0.5);
    rate->start_elements = std::max(0.0, kInner * (share - 0.25) / (1 - share));
    for (RowRate& row_rate : rate->rates) row_rate.gop_s *= 1 + rate->start_elements / kInner;
    return absl::OkStatus();
  }

  absl::Status AddReading(KernelRate* rate) {
    const int64_t columns = IsGpu(rate->target) ? 16384 : 3072;
    ASSIGN_OR_RETURN(std::optional<KernelTime> cached,
                     TimeLinear(*rate, 1, columns, Weights::kCached));
    ASSIGN_OR_RETURN(std::optional<KernelTime> cold, TimeLinear(*rate, 1, columns, Weights::kCold));
    if (!cached || !cold) return absl::OkStatus();
    rate->cached_gb_s = cached->bytes / WithoutFixed(*cached, FixedNs(*rate));
    rate->gb_s = cold->bytes / WithoutFixed(*cold, FixedNs(*rate));
    return absl::OkStatus();
  }

  // Adds the rate, and if its type is the common one adds it again without a type, for types that
  // were not measured.
  void AddWithDefault(KernelRate rate, DType common) {
    if (rate.type == Name(common)) {
      machine_.kernels.push_back(rate);
      machine_.kernels.back().type.clear();
    }
    machine_.kernels.push_back(std::move(rate));
  }

  // Of the T * S pairs of tokens, those whose key comes later are not computed.
  absl::StatusOr<std::optional<KernelTime>> TimeAttention(const KernelRate& rate, int64_t rows,
                                                          int64_t depth, bool cold = false) {
    ASSIGN_OR_RETURN(std::optional<KernelTime> time,
                     timer_.Time({.op = "attention",
                                  .shape = {.rows = rows,
                                            .depth = depth,
                                            .type = FindDType(rate.type).value_or(DType::kF16)},
                                  .target = rate.target,
                                  .cold = cold,
                                  .steps = IsGpu(rate.target) ? kGpuSteps : 2}));
    if (time) time->flops -= time->cost.flops.ctsn * static_cast<double>(rows * (rows - 1)) / 2;
    return time;
  }

  absl::Status AddAttention(Target target, DType type) {
    KernelRate rate{.target = target, .op = "attention", .type = std::string(Name(type))};
    auto time = [&](int64_t rows, int64_t depth, bool cold = false) {
      return TimeAttention(rate, rows, depth, cold);
    };
    ASSIGN_OR_RETURN(std::optional<KernelTime> small, time(1, 15));
    ASSIGN_OR_RETURN(std::optional<KernelTime> large, time(1, 127));
    if (!small || !large) return absl::OkStatus();
    Split(*small, *large, &rate);
    RETURN_IF_ERROR(IsGpu(target) ? AddAttentionOnGpu(&rate) : AddRowsOfAttention(&rate));
    ASSIGN_OR_RETURN(std::optional<KernelTime> cached, time(1, 1023));
    ASSIGN_OR_RETURN(std::optional<KernelTime> cold, time(1, 1023, /*cold=*/true));
    if (!cached || !cold) return absl::OkStatus();
    rate.cached_gb_s = cached->bytes / WithoutFixed(*cached, FixedNs(rate));
    rate.gb_s = cold->bytes / WithoutFixed(*cold, FixedNs(rate));
    if (IsGpu(target)) {  // what is fused there reads the same cache
      KernelRate fused = rate;
      fused.op = "self_attention";
      AddWithDefault(std::move(fused), DType::kF16);
    }
    AddWithDefault(std::move(rate), DType::kF16);
    return absl::OkStatus();
  }

  absl::Status AddRowsOfAttention(KernelRate* rate) {
    for (auto [rows, depth] : {std::pair<int64_t, int64_t>{8, 120}, {64, 192}, {512, 0}}) {
      ASSIGN_OR_RETURN(std::optional<KernelTime> many, TimeAttention(*rate, rows, depth));
      if (!many) continue;
      rate->rates.push_back({rows, many->flops / WithoutFixed(*many, FixedNs(*rate))});
    }
    return absl::OkStatus();
  }

  // Few rows divide their histories, many are tiles: without a history, and with one.
  absl::Status AddAttentionOnGpu(KernelRate* rate) {
    for (auto [rows, depth] :
         {std::pair<int64_t, int64_t>{2, 126}, {8, 120}, {16, 240}, {64, 448}, {512, 512}}) {
      ASSIGN_OR_RETURN(std::optional<KernelTime> small, TimeAttention(*rate, rows, 0));
      ASSIGN_OR_RETURN(std::optional<KernelTime> large, TimeAttention(*rate, rows, depth));
      if (small && large) AddRowRate(rows, *small, *large, rate);
    }
    return absl::OkStatus();
  }

  absl::Status AddRows(Target target, const std::string& op) {
    auto time = [&](int64_t rows, bool small = false) {
      OpShape shape = small ? SmallRow() : OpShape{.rows = rows, .columns = 1024};
      shape.type = DType::kF16;
      if (op == "matmul") shape.inner = shape.head_dim;  // as in the decomposition of attention
      return timer_.Time({.op = op, .shape = shape, .target = target, .steps = StepsOn(target)});
    };
    KernelRate rate{.target = target, .op = op};
    ASSIGN_OR_RETURN(std::optional<KernelTime> small, time(1, /*small=*/true));
    ASSIGN_OR_RETURN(std::optional<KernelTime> large, time(1));
    ASSIGN_OR_RETURN(std::optional<KernelTime> most, time(512));
    if (!small || !large || !most || large->flops <= small->flops) return absl::OkStatus();
    if (IsGpu(target)) {
      // Some rows take as long as one, so that a rate from few of them would be a fixed cost.
      Split(*large, *most, &rate);
    } else {
      Split(*small, *large, &rate);
      for (int64_t rows : {4, 16, 64}) {
        ASSIGN_OR_RETURN(std::optional<KernelTime> many, time(rows));
        if (many) rate.rates.push_back({rows, many->flops / WithoutFixed(*many, FixedNs(rate))});
      }
      RETURN_IF_ERROR(AddSurroundings(*small, &rate));
    }
    // With 512 rows nothing stays in the second-level cache.
    rate.cached_gb_s = most->bytes / WithoutFixed(*most, FixedNs(rate));
    rate.gb_s = rate.cached_gb_s;
    if (op == "add") {  // stands for ops that were not measured
      machine_.kernels.push_back(rate);
      machine_.kernels.back().op.clear();
    }
    machine_.kernels.push_back(std::move(rate));
    return absl::OkStatus();
  }

  // A small step takes longer inside a model than among equal steps: a norm of 256 elements takes
  // 0.6 us between products on two threads, and 0.25 us after another norm.
  absl::Status AddSurroundings(const KernelTime& alone, KernelRate* rate) {
    if (rate->target == Target::kScalar || rate->op == "matmul") {
      return absl::OkStatus();
    }
    OpShape shape = SmallRow();
    ASSIGN_OR_RETURN(std::optional<KernelTime> among, timer_.Time({.op = rate->op,
                                                                   .shape = shape,
                                                                   .target = rate->target,
                                                                   .copies = kLayers,
                                                                   .steps = kLayers,
                                                                   .fed = true,
                                                                   .writers_on = rate->target}));
    if (among) rate->fixed_ns += std::max(0.0, among->ns - alone.ns);
    return absl::OkStatus();
  }

  KernelTimer& timer_;
  const MachineDescription& generic_;
  MachineDescription machine_;
  double step_ns_ = 0;  // of the target being measured
};

}  // namespace

absl::StatusOr<MachineDescription> MeasureMachine(std::span<const DType> types,
                                                  KernelTimer& timer) {
  ASSIGN_OR_RETURN(const MachineDescription generic, LoadMachine("generic"));
  return Calibration(timer, generic).Run(types);
}

}  // namespace infer
