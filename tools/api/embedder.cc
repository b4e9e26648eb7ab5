// SPDX-License-Identifier: Apache-2.0
#include "tools/api/embedder.h"

#include <algorithm>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr int32_t kBlockPositions = 64;

// Pooling that needs more than a text's last vector.
bool NeedsAllRows(Pooling pooling) { return pooling == Pooling::kMean || pooling == Pooling::kCls; }

}  // namespace

CompileModelOptions ForEmbedding(CompileModelOptions options, Pooling pooling, int64_t sequences) {
  options.vectors = true;
  options.sequences = sequences;
  options.logit_rows = NeedsAllRows(pooling) ? options.chunk : sequences;
  return options;
}

EngineOptions EmbeddingEngine(const Program& program) {
  EngineOptions options;
  options.sequences = static_cast<int32_t>(program.sequences);
  options.context = program.symbols[Symbol::kS].max / program.sequences;
  if (options.sequences == 1) return options;
  options.block_positions = kBlockPositions;
  // Only the first text of a call can be longer than the call; each ends within a block.
  const int64_t wanted = options.context + program.symbols[Symbol::kT].max +
                         int64_t{options.sequences} * kBlockPositions;
  options.cache_positions = std::min(wanted, options.context * options.sequences);
  return options;
}

Embedder::Embedder(std::shared_ptr<Engine> engine, Pooling pooling)
    : engine_(std::move(engine)), pooling_(pooling) {}

absl::Status Embedder::CheckTexts(std::span<const std::vector<int32_t>> texts) const {
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) {
      return absl::InvalidArgumentError(StrCat("text ", i, " is empty: it has no tokens"));
    }
    if (std::ssize(texts[i]) > context()) {
      return absl::InvalidArgumentError(StrCat("text ", i, " has ", texts[i].size(),
                                               " tokens, the context has ", context(),
                                               "; cut the text or use a larger context"));
    }
  }
  return absl::OkStatus();
}

int32_t Embedder::RowsOf(const Running& running, size_t take, size_t length) const {
  if (pooling_ == Pooling::kMean) return static_cast<int32_t>(take);
  if (pooling_ == Pooling::kCls) return running.done == 0 ? static_cast<int32_t>(take) : 0;
  return running.done + take == length ? 1 : 0;
}

// Adds tokens of the running texts and of further ones until the call is full.
absl::Status Embedder::Fill(std::span<const std::vector<int32_t>> texts) {
  requests_.clear();
  auto room = static_cast<size_t>(engine_->max_step_tokens());
  auto add = [&](const Running& running) {
    const std::span<const int32_t> tokens = texts[running.text];
    const size_t take = std::min(room, tokens.size() - running.done);
    requests_.push_back({running.sequence, tokens.subspan(running.done, take),
                         RowsOf(running, take, tokens.size())});
    room -= take;
  };
  for (const Running& running : running_) add(running);
  while (room > 0 && next_ < texts.size() && std::ssize(running_) < engine_->max_sequences()) {
    ASSIGN_OR_RETURN(const SequenceId sequence, engine_->NewSequence());
    running_.push_back({.text = next_++, .sequence = sequence});
    add(running_.back());
  }
  return absl::OkStatus();
}

void Embedder::Pool(size_t request, Running& running) const {
  const StepRequest& made = requests_[request];
  if (made.logit_rows == 0) return;
  const std::span<const float> first = engine_->logits(request, 0);
  if (pooling_ != Pooling::kMean) {
    running.vector.assign(first.begin(), first.end());
    return;
  }
  running.sum.resize(first.size());
  for (int32_t row = 0; row < made.logit_rows; ++row) {
    const std::span<const float> vector = engine_->logits(request, row);
    for (size_t i = 0; i < vector.size(); ++i) running.sum[i] += vector[i];
  }
}

absl::Status Embedder::RunStep(const std::atomic<bool>* stop) {
  RETURN_IF_ERROR(
      engine_->Step(requests_, {.observer = nullptr, .stop = stop, .recorder = nullptr}));
  for (size_t i = 0; i < requests_.size(); ++i) {
    Pool(i, running_[i]);
    running_[i].done += requests_[i].tokens.size();
  }
  return absl::OkStatus();
}

void Embedder::Clear() {
  for (const Running& running : running_) engine_->Release(running.sequence);
  running_.clear();
  next_ = 0;
}

absl::Status Embedder::Embed(std::span<const std::vector<int32_t>> texts, Done done,
                             const std::atomic<bool>* stop) {
  RETURN_IF_ERROR(CheckTexts(texts));
  const auto run = [&]() -> absl::Status {
    while (next_ < texts.size() || !running_.empty()) {
      RETURN_IF_ERROR(Fill(texts));
      RETURN_IF_ERROR(RunStep(stop));
      // Texts start in order and only the last of a call can be cut, so that they end in order.
      while (!running_.empty() && running_[0].done == texts[running_[0].text].size()) {
        Running& ended = running_[0];
        const auto count = static_cast<double>(ended.done);
        for (double sum : ended.sum) ended.vector.push_back(static_cast<float>(sum / count));
        engine_->Release(ended.sequence);
        const absl::Status taken = done(ended.text, ended.vector);
        running_.erase(running_.begin());
        RETURN_IF_ERROR(taken);
      }
    }
    return absl::OkStatus();
  };
  const absl::Status status = run();
  Clear();
  return status;
}

}  // namespace infer
