// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/model_bench.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <utility>

#include "backends/simd/levels/choose_level.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/random.h"
#include "tools/api/device_lines.h"
#include "tools/bench/least_work.h"
#include "tools/cli/build_info.h"
#include "tools/cli/flag_text.h"
#include "tools/flags/console_load.h"
#include "tools/flags/rank_run.h"
#include "tools/report/machine_text.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<int32_t> RandomTokens(int64_t count, int64_t vocabulary, uint64_t seed) {
  Random random(seed);
  std::vector<int32_t> tokens(static_cast<size_t>(count));
  for (int32_t& token : tokens) {
    token = static_cast<int32_t>(random.Next() % static_cast<uint64_t>(vocabulary));
  }
  return tokens;
}

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

// Returns the type that most bytes of the file have.
DType CommonType(const GgufFile& file) {
  std::map<DType, uint64_t> bytes;
  for (const WeightInfo& tensor : file.tensors()) bytes[tensor.dtype] += tensor.bytes;
  auto most = std::max_element(bytes.begin(), bytes.end(),
                               [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == bytes.end() ? DType::kF32 : most->first;
}

void Describe(const GgufFile& file, BenchRecord* record) {
  record->model_filename = file.path();
  record->weight_type = CommonType(file);
  for (const WeightInfo& tensor : file.tensors()) {
    uint64_t elements = 1;
    for (int64_t dim : tensor.dims) elements *= static_cast<uint64_t>(dim);
    record->model_size += tensor.bytes;
    record->model_n_params += elements;
  }
  const Metadata& metadata = file.metadata();
  for (const char* key : {"general.architecture", "general.size_label"}) {
    absl::StatusOr<std::string_view> text = metadata.GetStringOr(key, "");
    if (!text.ok() || text->empty()) continue;
    for (char c : *text) {  // a file may hold anything, but '|' would break the table
      record->model_type += c >= ' ' && c < 127 && c != '|' ? c : '?';
    }
    record->model_type += ' ';
  }
  StrAppend(&record->model_type, Name(record->weight_type));
}

}  // namespace

absl::StatusOr<ModelBench> ModelBench::Open(const BenchOptions& options) {
  ModelBench bench(options);
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model.model));
  bench.model_ = std::make_unique<ModelFile>(std::move(model));
  Describe(bench.model_->gguf(), &bench.common_);
  bench.common_.cpu_features = JoinWords(CpuFeatures(), " ");
  const simd::Level* level = simd::ChosenLevel().level;
  bench.common_.cpu_level = level == nullptr ? "scalar" : std::string(level->name);
  return bench;
}

int64_t ModelBench::num_runs() const {
  return static_cast<int64_t>(options_->tests.size() * options_->chunks.size() *
                              options_->policies.size() * options_->threads.size()) *
         (options_->repetitions + (options_->warmup ? 1 : 0));
}

absl::StatusOr<std::unique_ptr<Session>> ModelBench::MakeSession(const KernelRegistry& registry,
                                                                 const std::string& policy,
                                                                 int64_t chunk,
                                                                 const Callbacks& callbacks) {
  ToolContext* context = callbacks.context;
  CompileModelOptions compile = options_->model.compile;
  compile.policy = policy;
  compile.chunk = chunk;
  compile.candidates =
      0;  // each token's logits are copied whole, as in other programs of this kind
  for (const BenchTest& test : options_->tests) {
    compile.context = std::max(compile.context, test.depth + test.tokens());
  }
  ASSIGN_OR_RETURN(Program program, CompileWithConsole(*model_, registry, compile, context));
  RETURN_IF_ERROR(CheckMeasurable(program, registry));
  if (!std::exchange(has_measured_peaks_, true)) {
    ASSIGN_OR_RETURN(common_.peaks, callbacks.measure_peaks());
  }
  return LoadWithConsole(std::move(program), *model_, registry, {.context = compile.context},
                         options_->model.pack_cache, context);
}

absl::StatusOr<uint64_t> ModelBench::RunOnce(Session& session, const BenchTest& test,
                                             const std::atomic<bool>* stop) {
  const std::vector<int32_t> tokens =
      RandomTokens(test.depth + test.tokens(), session.vocabulary(), options_->seed);
  const std::span<const int32_t> all = tokens;
  // Keeps the tokens of the depth in the cache and drops the rest of the previous run.
  if (test.depth == 0) {
    session.Clear();
  } else {
    RETURN_IF_ERROR(session.Prefill(all.first(static_cast<size_t>(test.depth)), stop));
  }
  const Clock::time_point start = Clock::now();
  if (test.prompt > 0) {
    RETURN_IF_ERROR(
        session.Prefill(all.first(static_cast<size_t>(test.depth + test.prompt)), stop));
  }
  for (int32_t token : all.subspan(static_cast<size_t>(test.depth + test.prompt))) {
    RETURN_IF_ERROR(session.Decode(token, stop));
  }
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

absl::StatusOr<BenchRecord> ModelBench::RunTest(Session& session, const BenchTest& test,
                                                const Callbacks& callbacks) {
  BenchRecord record = common_;
  record.test = test;
  record.test_time = UtcNow();
  const std::string name = StrCat(record.policy, " ", record.TestName());
  if (options_->warmup) {
    if (callbacks.on_run) callbacks.on_run(name + " warm-up");
    RETURN_IF_ERROR(RunOnce(session, test, &callbacks.context->interrupt().stop_flag()).status());
  }
  for (int64_t i = 0; i < options_->repetitions; ++i) {
    if (callbacks.on_run) callbacks.on_run(name);
    ASSIGN_OR_RETURN(uint64_t ns,
                     RunOnce(session, test, &callbacks.context->interrupt().stop_flag()));
    record.samples_ns.push_back(std::max<uint64_t>(ns, 1));
  }
  const LeastWork work = LeastWorkOfTest(session.program(), test.prompt, test.generated, test.depth,
                                         session.max_chunk());
  record.linear_flops = work.linear_flops;
  record.bytes = work.bytes;
  return record;
}

absl::Status ModelBench::RunTests(const std::string& policy, int64_t chunk, int64_t threads,
                                  const Callbacks& callbacks) {
  ThreadRequest wanted = options_->model.threads;
  wanted.count = threads;
  const bool is_new = warned_threads_.insert(threads).second;
  const ThreadChoice choice = is_new
                                  ? ChooseThreadsWithConsole(wanted, &callbacks.context->console())
                                  : ChooseThreads(wanted, ReadThreadLimits());
  ASSIGN_OR_RETURN(std::unique_ptr<KernelRegistry> registry, MakeKernelRegistry(choice));
  absl::StatusOr<std::unique_ptr<Session>> made = MakeSession(*registry, policy, chunk, callbacks);
  if (HasFollowed(made.status())) return absl::OkStatus();  // rank 0 has measured
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session, std::move(made));
  common_.policy = session->program().policy.name;
  for (const std::string& rule : session->program().overrides) {
    StrAppend(&common_.policy, " ", rule);
  }
  std::ranges::replace(common_.policy, '|', '/');  // '|' would break the table
  if (std::string text = OtherThreadsWarning(session->program().machine, threads);
      !text.empty() && is_new) {
    callbacks.context->console().Warning(text);
  }
  common_.n_ubatch = chunk;
  common_.n_threads = threads;
  common_.threads_by = NameOf(wanted.by);
  common_.kv_type =
      session->program().states.empty() ? "" : Name(session->program().states[0].dtype);
  for (const BenchTest& test : options_->tests) {
    ASSIGN_OR_RETURN(BenchRecord record, RunTest(*session, test, callbacks));
    RETURN_IF_ERROR(callbacks.on_record(record));
  }
  return absl::OkStatus();
}

absl::Status ModelBench::Run(const Callbacks& callbacks) {
  for (const std::string& policy : options_->policies) {
    for (int64_t chunk : options_->chunks) {
      for (int64_t threads : options_->threads) {
        RETURN_IF_ERROR(RunTests(policy, chunk, threads, callbacks));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
