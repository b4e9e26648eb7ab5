// SPDX-License-Identifier: Apache-2.0
#include "runtime/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "ir/base/status_macros.h"

namespace infer {

absl::StatusOr<std::unique_ptr<Session>> Session::Create(std::shared_ptr<Engine> engine) {
  ASSIGN_OR_RETURN(const SequenceId sequence, engine->NewSequence());
  return std::unique_ptr<Session>(new Session(std::move(engine), sequence));
}

absl::StatusOr<std::unique_ptr<Session>> Session::CreateAlone(Program program,
                                                              const WeightSource& source,
                                                              const KernelRegistry& registry,
                                                              const SessionOptions& options) {
  const EngineOptions engine_options{.context = options.context,
                                     .block_positions = options.block_positions};
  // Check before packing anything, so that a program that cannot run here fails at once.
  RETURN_IF_ERROR(CheckEngine(program, registry, engine_options));
  ASSIGN_OR_RETURN(std::shared_ptr<const Executable> executable,
                   Executable::CreateAlone(std::move(program), source, registry, options.pack));
  ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine,
                   Engine::Create(std::move(executable), engine_options));
  return Create(std::move(engine));
}

absl::Status Session::Forward(std::span<const int32_t> tokens, int32_t logit_rows, bool is_prefill,
                              const std::atomic<bool>* stop) {
  const auto start = std::chrono::steady_clock::now();
  const bool keeps_rows = engine_->max_sequences() > 1;
  const StepRequest request{sequence_, tokens, logit_rows, whole_rows_ || keeps_rows};
  const RunContext context{.observer = observer_, .stop = stop, .recorder = recorder_};
  RETURN_IF_ERROR(engine_->Step({&request, 1}, context));
  if (keeps_rows) {
    kept_logits_.clear();
    for (int32_t row = 0; row < logit_rows; ++row) {
      const std::span<const float> logits = engine_->logits(0, row);
      kept_logits_.insert(kept_logits_.end(), logits.begin(), logits.end());
    }
  }
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  // A draft counts once it is accepted.
  metrics_.ForwardDone(is_prefill ? std::ssize(tokens) : 1, ms, is_prefill);
  return absl::OkStatus();
}

absl::Status Session::Prefill(std::span<const int32_t> tokens, const std::atomic<bool>* stop,
                              const PrefillProgress& progress) {
  if (tokens.empty()) return absl::InvalidArgumentError("the prompt has no tokens");
  const std::span<const int32_t> held = this->tokens();
  auto differs = std::mismatch(tokens.begin(), tokens.end(), held.begin(), held.end());
  const int64_t total = std::ssize(tokens);
  int64_t kept = std::min<int64_t>(differs.first - tokens.begin(), total - 1);
  engine_->Rewind(sequence_, kept);
  // All or nothing: a prompt that does not fit is refused before minutes are spent on it.
  RETURN_IF_ERROR(engine_->Reserve(sequence_, total - kept));
  while (kept < total) {
    if (progress) progress(kept, total);
    const int64_t chunk = std::min(max_chunk(), total - kept);
    RETURN_IF_ERROR(Forward(tokens.subspan(kept, chunk), 1, /*is_prefill=*/true, stop));
    kept += chunk;
  }
  if (progress) progress(total, total);
  return absl::OkStatus();
}

absl::Status Session::Decode(int32_t token, const std::atomic<bool>* stop) {
  return Forward({&token, 1}, 1, /*is_prefill=*/false, stop);
}

absl::Status Session::DecodeDraft(std::span<const int32_t> tokens, const std::atomic<bool>* stop) {
  return Forward(tokens, static_cast<int32_t>(tokens.size()), /*is_prefill=*/false, stop);
}

absl::Status Session::RunWithAllLogits(std::span<const int32_t> tokens,
                                       const std::atomic<bool>* stop) {
  return Forward(tokens, static_cast<int32_t>(tokens.size()), /*is_prefill=*/true, stop);
}

}  // namespace infer
