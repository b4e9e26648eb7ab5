// SPDX-License-Identifier: Apache-2.0
//
// Measures what choosing a token costs: milliseconds per row for each filter and each shape of row.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "runtime/random.h"
#include "runtime/sampler.h"
#include "tools/cli/tool.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchOptions {
  int64_t vocabulary = 151936;
  int64_t rows = 16;     // different rows of each shape
  int64_t repeats = 20;  // passes over all rows
};

// Most logits of a model are roughly normally distributed; those of plausible tokens stand above
// and fall with the logarithm of their rank. The lead of the first decides how much of the
// probability the others share: 0.01 % in a certain row, 3 % in a usual one, most in an undecided
// one. A flat row, of which half the vocabulary is kept, is what damaged weights produce.
struct RowShape {
  const char* name;
  double deviation;
  double lead;  // of the first token over the mean; 0 if none stands out
};
constexpr RowShape kShapes[] = {
    {"certain", 2, 22}, {"usual", 2, 16.5}, {"undecided", 2, 13}, {"flat", 0.5, 0}};
constexpr int64_t kLeaders = 2000;

struct Filter {
  const char* name;
  SamplerOptions options;
};
const Filter kFilters[] = {
    {"greedy", {.temperature = 0}},
    {"top-k 20, top-p 0.95", {.temperature = 0.6}},
    {"top-p 0.95", {.temperature = 0.6, .top_k = 0}},
    {"top-p 0.8", {.temperature = 0.7, .top_k = 0, .top_p = 0.8}},
    {"top-p 0.99, temperature 1", {.temperature = 1, .top_k = 0, .top_p = 0.99}},
    {"min-p 0.05", {.temperature = 0.6, .top_k = 0, .top_p = 1, .min_p = 0.05}},
    {"temperature 0.6 alone", {.temperature = 0.6, .top_k = 0, .top_p = 1}},
    {"top-p 0.95, penalties",
     {.temperature = 0.6, .top_k = 0, .repeat_penalty = 1.1, .presence_penalty = 0.5}},
};

std::vector<std::vector<float>> MakeRows(const RowShape& shape, const BenchOptions& options) {
  Random random(1);
  std::vector<std::vector<float>> rows(options.rows);
  for (std::vector<float>& row : rows) {
    row.resize(options.vocabulary);
    for (float& logit : row) {
      const double radius = std::sqrt(-2 * std::log(1 - random.NextUnit()));
      logit = static_cast<float>(shape.deviation * radius *
                                 std::cos(6.283185307179586 * random.NextUnit()));
    }
    for (int64_t rank = 1; shape.lead > 0 && rank <= kLeaders; ++rank) {
      row[random.Next() % row.size()] =
          static_cast<float>(shape.lead - 1.5 * std::log(static_cast<double>(rank)));
    }
  }
  return rows;
}

absl::StatusOr<std::string> Measure(const Filter& filter, const RowShape& shape,
                                    const BenchOptions& options, ToolContext& context) {
  const std::vector<std::vector<float>> rows = MakeRows(shape, options);
  ASSIGN_OR_RETURN(Sampler sampler,
                   Sampler::Create(filter.options, static_cast<int32_t>(options.vocabulary)));
  std::vector<double> milliseconds;
  for (int64_t repeat = 0; repeat <= options.repeats; ++repeat) {
    for (const std::vector<float>& row : rows) {
      RETURN_IF_ERROR(context.interrupt().Check());
      const Clock::time_point start = Clock::now();
      ASSIGN_OR_RETURN(const SampledToken token, sampler.Sample(row));
      const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
      sampler.Accept(token.id);
      if (repeat > 0) milliseconds.push_back(taken.count());
    }
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  const auto at = [&](double part) {
    return milliseconds[static_cast<size_t>(part * static_cast<double>(milliseconds.size() - 1))];
  };
  return absl::StrFormat("| %-25s | %-9s | %6.3f | %6.3f | %6.3f |\n", filter.name, shape.name,
                         at(0.05), at(0.5), at(0.95));
}

absl::Status SamplingMain(ToolContext& context) {
  BenchOptions options;
  Flags flags("sampling_bench", "Measure what it costs to choose a token from a row of logits.");
  flags.Int("--vocabulary", &options.vocabulary, "N", "logits a row").Range(1, 10000000);
  flags.Int("--rows", &options.rows, "N", "different rows of each shape").Range(1, 1000);
  flags.Int("--repeats", &options.repeats, "N", "how often each row is sampled").Range(1, 10000);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(context.out().Write(
      "| filter                    | row       | p5 ms  | median | p95    |\n"
      "| ---                       | ---       | ---:   | ---:   | ---:   |\n"));
  for (const Filter& filter : kFilters) {
    for (const RowShape& shape : kShapes) {
      ASSIGN_OR_RETURN(const std::string line, Measure(filter, shape, options, context));
      RETURN_IF_ERROR(context.out().Write(line));
    }
  }
  return absl::OkStatus();
}

constexpr Tool kSamplingBench = {"sampling_bench", "sampling", "Measure sampling", SamplingMain};

}  // namespace
}  // namespace infer

int main(int argc, char** argv) {
  std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return infer::RunTool(infer::kSamplingBench, std::move(args), infer::ToolIo());
}
