// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/check_invariance.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/base/hash.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/common_memory.h"
#include "ir/graph/node_name.h"
#include "runtime/engine.h"

namespace infer {
namespace {

// How the tokens of the prompt are run.
struct Schedule {
  int64_t max_call = 0;  // tokens of the prompt in a call, at least 1 and at most this
  int32_t others = 0;    // sequences beside it
  int32_t block_positions = 0;
  uint64_t seed = 0;

  std::string Text() const {
    return StrCat("calls of 1 to ", max_call, " tokens, ", others, " other sequences, ",
                  block_positions == 0 ? std::string("a contiguous cache")
                                       : StrCat("blocks of ", block_positions));
  }
};

// Hashes of the rows that every node computed for each position of the prompt, in program order.
class RowHashes : public StepObserver {
 public:
  // The prompt is sequence `sequence` of the calls that follow.
  void Watch(size_t sequence) { sequence_ = sequence; }

  void AfterStep(const Node& node, const KernelArgs& args) override {
    for (size_t i = 0; i < args.outputs.size(); ++i) {
      const ValueType& type = node.result(static_cast<int>(i)).type;
      if (!type.is_tensor() || type.rank() < 2 || !type.dim(0).is_symbol()) continue;
      // Scores have a column for each entry of the call's caches, those of other sequences
      // included.
      if (type.tensor.shape.Uses(Symbol::kS)) continue;
      // Columns and rows among those of other ranks are compared once they are joined.
      if (args.outputs[i].tensor.row_stride != 0 || RowSharerOf(node) != nullptr) continue;
      const std::string key = StrCat(node.op().name, " ", NodeName(node), " ", i);
      auto [it, is_new] = rows_.try_emplace(key);
      if (is_new) order_.push_back({key, NodeName(node)});
      it->second.kernel = node.placement()->kernel;
      AddRows(args.outputs[i].tensor, *args.batch, type.dim(0).symbol() == Symbol::kR, &it->second);
    }
  }

  // Fills in position, node and kernel of the first row in `other` that is not as here.
  void Compare(const RowHashes& other, int64_t positions,
               InvarianceResult::Difference* found) const {
    for (int64_t position = 0; position < positions; ++position) {
      for (const auto& [key, name] : order_) {
        const auto theirs = other.rows_.find(key);
        if (theirs == other.rows_.end()) continue;  // taken apart differently
        const auto& here = rows_.at(key).by_position;
        const auto a = here.find(position), b = theirs->second.by_position.find(position);
        if (a == here.end() || b == theirs->second.by_position.end() || a->second == b->second) {
          continue;
        }
        found->position = position;
        found->node = name;
        found->kernel = theirs->second.kernel;
        return;
      }
    }
  }

 private:
  struct Rows {
    std::string kernel;
    std::map<int64_t, uint64_t> by_position;
  };

  // Rows are those of all tokens, or of the tokens whose logits are requested.
  void AddRows(const TensorView& out, const Batch& batch, bool requested, Rows* rows) const {
    const BatchSequence& ours = batch.sequences[sequence_];
    const int64_t row_bytes = out.elements() / out.dim(0) * Info(out.dtype).block_bytes;
    for (int64_t row = 0; row < out.dim(0); ++row) {
      const int64_t token = requested ? batch.out_rows[static_cast<size_t>(row)] : row;
      if (token < ours.first_token || token >= ours.first_token + ours.count) continue;
      const std::string_view bytes(reinterpret_cast<const char*>(out.data) + row * row_bytes,
                                   static_cast<size_t>(row_bytes));
      rows->by_position[batch.token_pos[static_cast<size_t>(token)]] = Hasher().Add(bytes).Finish();
    }
  }

  size_t sequence_ = 0;
  std::map<std::string, Rows> rows_;
  std::vector<std::pair<std::string, std::string>> order_;  // key and name
};

class Checker {
 public:
  Checker(std::shared_ptr<const Executable> executable, std::span<const int32_t> prompt,
          const InvarianceOptions& options)
      : executable_(std::move(executable)), prompt_(prompt), options_(options) {}

  // Returns the logits after the prompt.
  absl::StatusOr<std::vector<float>> Run(const Schedule& schedule, RowHashes* hashes) {
    ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine,
                     Engine::Create(executable_, {.context = options_.context,
                                                  .sequences = options_.sequences,
                                                  .block_positions = schedule.block_positions}));
    std::mt19937_64 random(schedule.seed);
    auto below = [&random](int64_t n) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
    };
    std::vector<SequenceId> sequences;
    for (int32_t i = 0; i <= schedule.others; ++i) {
      ASSIGN_OR_RETURN(sequences.emplace_back(), engine->NewSequence());
    }
    size_t ours = 0;
    for (size_t at = 0; at < prompt_.size();) {
      const int64_t left = std::ssize(prompt_) - static_cast<int64_t>(at);
      const int64_t room = engine->max_step_tokens() - schedule.others;
      const int64_t most = std::min({left, room, schedule.max_call});
      const auto take =
          static_cast<size_t>(schedule.max_call == std::ssize(prompt_) ? most : 1 + below(most));
      std::vector<std::vector<int32_t>> other_tokens;
      std::vector<StepRequest> requests;
      for (int32_t i = 0; i < schedule.others; ++i) {
        const SequenceId id = sequences[static_cast<size_t>(i) + 1];
        if (std::ssize(engine->tokens(id)) >= engine->context()) engine->Rewind(id, 0);
        other_tokens.push_back({static_cast<int32_t>(below(engine->vocabulary()))});
        requests.push_back({id, other_tokens.back(), 1});
      }
      ours = static_cast<size_t>(below(std::ssize(requests) + 1));
      requests.insert(requests.begin() + static_cast<std::ptrdiff_t>(ours),
                      {sequences[0], prompt_.subspan(at, take), 1});
      if (hashes != nullptr) hashes->Watch(ours);
      RETURN_IF_ERROR(engine->Step(requests, {.observer = hashes, .stop = options_.stop}));
      ++calls_;
      at += take;
    }
    const std::span<const float> logits = engine->logits(ours);
    return std::vector<float>(logits.begin(), logits.end());
  }

  int64_t calls() const { return calls_; }

 private:
  std::shared_ptr<const Executable> executable_;
  std::span<const int32_t> prompt_;
  const InvarianceOptions& options_;
  int64_t calls_ = 0;
};

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

absl::StatusOr<InvarianceResult> CheckInvariance(std::shared_ptr<const Executable> executable,
                                                 std::span<const int32_t> prompt,
                                                 const InvarianceOptions& options) {
  if (prompt.empty()) return absl::InvalidArgumentError("the prompt has no tokens");
  Checker checker(std::move(executable), prompt, options);
  const Schedule whole = {.max_call = std::ssize(prompt)};
  ASSIGN_OR_RETURN(std::vector<float> expected, checker.Run(whole, nullptr));
  std::mt19937_64 random(options.seed);
  InvarianceResult result;
  for (int round = 0; round < options.rounds && !result.first; ++round) {
    if (options.progress) options.progress(round, options.rounds);
    constexpr int64_t kMostTokens[] = {1, 2, 4, 7, 16, 64, 512};
    constexpr int32_t kBlocks[] = {0, 5, 16, 32};
    const Schedule schedule = {
        .max_call = std::min(kMostTokens[random() % std::size(kMostTokens)],
                             std::max<int64_t>(std::ssize(prompt) - 1, 1)),
        .others = static_cast<int32_t>(random() % static_cast<uint64_t>(options.sequences)),
        .block_positions = kBlocks[random() % std::size(kBlocks)],
        .seed = random()};
    ASSIGN_OR_RETURN(std::vector<float> found, checker.Run(schedule, nullptr));
    if (SameBits(found, expected)) continue;
    result.first = InvarianceResult::Difference{.schedule = schedule.Text(),
                                                .position = std::ssize(prompt) - 1};
    RowHashes expected_rows, found_rows;
    RETURN_IF_ERROR(checker.Run(whole, &expected_rows).status());
    RETURN_IF_ERROR(checker.Run(schedule, &found_rows).status());
    expected_rows.Compare(found_rows, std::ssize(prompt), &*result.first);
  }
  if (options.progress) options.progress(options.rounds, options.rounds);
  result.calls = checker.calls();
  return result;
}

}  // namespace infer
