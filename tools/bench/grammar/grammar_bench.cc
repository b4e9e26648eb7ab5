// SPDX-License-Identifier: Apache-2.0
//
// Measures structured output: compiling schemas, masks, and verifying the likeliest tokens, over
// the schemas and documents of schemas.jsonl. Every document is followed token by token: with an
// empty cache of masks, and with one that the documents of a schema share.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "frontends/gguf/reader.h"
#include "frontends/grammar/json_schema.h"
#include "frontends/grammar/token_matcher.h"
#include "frontends/tokenizer/from_gguf.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/tool.h"

namespace infer {
namespace {

// CPU time of the thread: other programs do not count.
struct Clock {
  using time_point = std::chrono::nanoseconds;
  static time_point now() {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
};
using Microseconds = std::chrono::duration<double, std::micro>;

struct Times {
  std::vector<double> microseconds;

  template <class Work>
  void Measure(const Work& work) {
    const Clock::time_point start = Clock::now();
    work();
    microseconds.push_back(Microseconds(Clock::now() - start).count());
  }
  std::string Line(std::string_view name) {
    std::sort(microseconds.begin(), microseconds.end());
    double sum = 0;
    for (const double time : microseconds) sum += time;
    const auto at = [&](double part) {
      return microseconds[static_cast<size_t>(part * static_cast<double>(microseconds.size() - 1))];
    };
    return absl::StrFormat("| %-24s | %7d | %8.1f | %8.1f | %8.1f | %8.1f |\n", ToAbsl(name),
                           microseconds.size(), sum / static_cast<double>(microseconds.size()),
                           at(0.5), at(0.99), microseconds.back());
  }
};

struct BenchOptions {
  std::string model = INFER_SOURCE_DIR "/tests/data/qwen3-vocab.gguf";
  std::string schemas = INFER_SOURCE_DIR "/tools/bench/grammar/schemas.jsonl";
  int64_t top_k = 20;
};

// The candidates of a row: the token that the document has, then tokens as models rank them, the
// more frequent (those with lower ids) more often.
std::vector<int32_t> Candidates(int32_t first, int32_t tokens, uint64_t* seed) {
  constexpr size_t kCandidates = 52;  // top-k and Sampler::kMaxRefusals
  std::vector<int32_t> ids = {first};
  while (ids.size() < kCandidates) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    const double unit = static_cast<double>(*seed >> 11) / static_cast<double>(uint64_t{1} << 53);
    ids.push_back(static_cast<int32_t>(unit * unit * unit * tokens));
  }
  return ids;
}

// What the documents of a schema share, apart for each measurement.
struct SharedMasks {
  std::shared_ptr<MaskCache> masks = std::make_shared<MaskCache>();
  std::shared_ptr<MaskCache> sampling = std::make_shared<MaskCache>();
};

struct Bench {
  Times compile, mask, shared_mask, greedy, top_k, shared_top_k;
  int64_t fallbacks = 0;
  uint64_t seed = 1;
};

// Finds the first `top_k` candidates that are allowed, as Sampler does it: where there are too few
// of them, a mask decides. Returns how many were found; at least the first one is allowed.
size_t TopK(const std::vector<int32_t>& candidates, int64_t top_k, TokenMatcher* matcher,
            Bench* bench) {
  int64_t accepted = 0;
  for (size_t c = 0; c < candidates.size() && accepted < top_k; ++c) {
    accepted += matcher->Allows(candidates[c]);
  }
  if (accepted == top_k) return static_cast<size_t>(accepted);
  ++bench->fallbacks;
  return matcher->Mask().Contains(candidates[0]) ? 1 : 0;
}

absl::Status Follow(const Tokenizer& tokenizer,
                    const std::shared_ptr<const GrammarVocabulary>& vocabulary,
                    const std::shared_ptr<const Grammar>& grammar, const SharedMasks& shared,
                    const std::string& document, int64_t top_k, Bench* bench) {
  ASSIGN_OR_RETURN(const std::vector<int32_t> ids,
                   tokenizer.Encode(document, {.parse_special = false, .add_bos = false}));
  TokenMatcher matcher(grammar, vocabulary);
  TokenMatcher sharing(grammar, vocabulary, shared.masks);
  TokenMatcher sampling(grammar, vocabulary);
  TokenMatcher shared_sampling(grammar, vocabulary, shared.sampling);
  for (size_t i = 0; i <= ids.size(); ++i) {
    const int32_t id = i < ids.size() ? ids[i] : vocabulary->end_ids()[0];
    const std::vector<int32_t> candidates = Candidates(id, vocabulary->token_count(), &bench->seed);
    size_t allowed = 0;
    bench->greedy.Measure([&] { allowed += matcher.Allows(candidates[0]); });
    bench->top_k.Measure([&] { allowed += TopK(candidates, top_k, &sampling, bench); });
    bench->shared_top_k.Measure(
        [&] { allowed += TopK(candidates, top_k, &shared_sampling, bench); });
    bool contains = false;
    bench->mask.Measure([&] { contains = matcher.Mask().Contains(id); });
    bench->shared_mask.Measure([&] { contains &= sharing.Mask().Contains(id); });
    if (!contains || allowed < 3) {
      return absl::InternalError(StrCat("token ", i, " of ", document, " is refused"));
    }
    if (i == ids.size()) break;
    if (!matcher.Accept(id) || !sharing.Accept(id) || !sampling.Accept(id) ||
        !shared_sampling.Accept(id)) {
      return absl::InternalError("not accepted");
    }
  }
  return absl::OkStatus();
}

absl::Status GrammarMain(ToolContext& context) {
  BenchOptions options;
  Flags flags("grammar_bench", "Measure schemas, masks and verified tokens.");
  flags.Text("-m,--model", &options.model, "FILE", "GGUF file with the vocabulary");
  flags.Text("--schemas", &options.schemas, "FILE", "lines {\"schema\", \"documents\"}");
  flags.Int("--top-k", &options.top_k, "N", "tokens to verify").Range(1, 256);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto file, GgufFile::Open(options.model));
  ASSIGN_OR_RETURN(const Tokenizer tokenizer, LoadTokenizer(*file));
  const Clock::time_point start = Clock::now();
  const auto vocabulary = GrammarVocabulary::Create(tokenizer.vocabulary());
  const double load = Microseconds(Clock::now() - start).count() / 1000;
  RETURN_IF_ERROR(context.out().Write(
      absl::StrFormat("vocabulary of %d tokens: %d nodes of %d bytes, made in %.0f ms\n\n",
                      tokenizer.vocabulary().token_count(), vocabulary->trie().nodes().size(),
                      sizeof(TokenTrie::Node), load)));
  Bench bench;
  std::ifstream lines(options.schemas);
  int64_t schemas = 0;
  for (std::string line; std::getline(lines, line); ++schemas) {
    RETURN_IF_ERROR(context.interrupt().Check());
    const auto example = ParseJson(line);
    if (example.is_discarded()) return absl::InvalidArgumentError("a line is not JSON");
    const std::string schema = JsonText(example["schema"]);
    absl::StatusOr<std::shared_ptr<const Grammar>> grammar = absl::InternalError("not compiled");
    bench.compile.Measure([&] { grammar = CompileJsonSchema(schema); });
    if (!grammar.ok()) return grammar.status();
    const SharedMasks shared;
    for (const std::string document : example["documents"]) {
      RETURN_IF_ERROR(
          Follow(tokenizer, vocabulary, *grammar, shared, document, options.top_k, &bench));
    }
  }
  RETURN_IF_ERROR(context.out().Write(absl::StrFormat(
      "%d schemas\n\n"
      "| microseconds             |   count |     mean |   median |      p99 |  largest |\n"
      "| ---                      |    ---: |     ---: |     ---: |     ---: |     ---: |\n",
      schemas)));
  RETURN_IF_ERROR(context.out().Write(bench.compile.Line("compile a schema")));
  RETURN_IF_ERROR(context.out().Write(bench.mask.Line("mask")));
  RETURN_IF_ERROR(context.out().Write(bench.shared_mask.Line("mask, shared cache")));
  RETURN_IF_ERROR(context.out().Write(bench.greedy.Line("verify one token")));
  const double share = 100.0 * static_cast<double>(bench.fallbacks) /
                       static_cast<double>(2 * bench.mask.microseconds.size());
  const std::string top_k = StrCat("top-k, k = ", options.top_k);
  RETURN_IF_ERROR(context.out().Write(bench.top_k.Line(top_k)));
  RETURN_IF_ERROR(context.out().Write(bench.shared_top_k.Line(StrCat(top_k, ", shared"))));
  return context.out().Write(
      absl::StrFormat("\nverified top-k needed a mask at %.1f %% of the tokens\n", share));
}

constexpr Tool kGrammarBench = {"grammar_bench", "grammar", "Measure grammars", GrammarMain};

}  // namespace
}  // namespace infer

int main(int argc, char** argv) {
  std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return infer::RunTool(infer::kGrammarBench, std::move(args), infer::ToolIo());
}
