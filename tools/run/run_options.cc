// SPDX-License-Identifier: Apache-2.0
#include "tools/run/run_options.h"

#include <random>

#include "ir/base/strings.h"

namespace infer {
namespace {

void RegisterLoadFlags(Flags& flags, RunOptions* options) {
  RegisterModelFlags(flags, &options->model);
  RegisterPolicy(flags, &options->model);
  RegisterCallSizes(flags, &options->model);
  RegisterPackCache(flags, &options->model);
  RegisterThreads(flags, &options->model.threads);
  flags.Text("-g,--graph", &options->graph, "FILE", "run a Program that infer-compile wrote")
      .NotEmpty();
  flags.Enum("--kv", &options->kv,
             {{"contiguous", KvLayout::kContiguous}, {"paged", KvLayout::kPaged}},
             "layout of the KV cache");
  flags.Bool("--verify-weights", &options->verify_weights,
             "with -g: also compare the full hash of each weight");
}

void RegisterPromptFlags(Flags& flags, RunOptions* options) {
  flags.Section("Prompt");
  flags.Text("-p,--prompt", &options->prompt, "TEXT", "prompt")
      .Default("stdin")
      .NotEmpty("to begin without a prompt, give the model's start token with --ids");
  flags.Text("-f,--file", &options->prompt_file, "FILE", "file with the prompt; - is stdin")
      .NotEmpty();
  flags.Bool("--keep-newline", &options->keep_newline,
             "keep the newline at the end of stdin or of the file; without it, one is removed");
  flags.IntList("--ids", &options->ids, "ID,ID", "prompt as token ids");
  flags.Bool("--chat", &options->chat,
             "chat in the model's chat format; without -p, at a prompt, or with one message for "
             "each line of a pipe");
  flags.Bool("--plain", &options->plain,
             "at the prompt of a chat: no line editing, no history, no escape sequences");
  flags.Bool("--history", &options->history,
             "keep what is entered at the prompt in a file that only you can read "
             "($XDG_STATE_HOME/infer/history); --no-history does not");
  flags.Text("--system", &options->system, "TEXT", "system message of a chat").Alias("-sys");
  flags
      .Text("--chat-template", &options->chat_template, "FILE",
            "chat template (Jinja) to use instead of the model's own")
      .NotEmpty();
  flags
      .Text("--tools", &options->tools, "FILE",
            "JSON array of tools that the model may call; a chat shows the calls and asks for "
            "their results")
      .NotEmpty();
  flags
      .Text("--tool-choice", &options->tool_choice, "CHOICE",
            "auto: the model decides; none, required: answers call no tool, or at least one; or "
            "the name of the tool to call")
      .Default("auto")
      .NotEmpty();
  flags.Bool("--bind-tools", &options->bind_tools,
             "arguments of calls keep to the schemas of the tools; --no-bind-tools leaves them to "
             "the model");
  flags
      .Enum("--reasoning", &options->think,
            {{"auto", ThinkMode::kAuto}, {"on", ThinkMode::kOn}, {"off", ThinkMode::kOff}},
            "whether a chat answer starts with thinking; auto leaves it to the model")
      .Alias("--think");
  flags
      .Int("--think-budget", &options->think_budget, "N",
           "most tokens of a thought, which then ends; -1: as many as the model wants")
      .Min(-1);
}

void RegisterGenerationFlags(Flags& flags, RunOptions* options) {
  flags.Section("Generation");
  flags
      .Int("-n,--predict", &options->max_tokens, "N",
           "maximum number of new tokens; -1: until the model ends or the context is full")
      .Alias("--n-predict")
      .Alias("--max-tokens")
      .Min(-1)
      .Default("256; -1 with --chat");
  flags.Enum(
      "--spec", &options->spec,
      {{"off", Speculation::kOff}, {"ngram", Speculation::kNgram}, {"draft", Speculation::kDraft}},
      "guess tokens and run them ahead, for the same text in less time; ngram: what followed "
      "the same words before, draft: what --draft-model says");
  flags
      .Text("--draft-model", &options->draft_model, "FILE",
            "smaller model with the same vocabulary; implies --spec draft")
      .Alias("-md")
      .NotEmpty("leave it out, or name a file");
  flags.Float("--temp", &options->temperature, "X", "temperature; 0 chooses the most likely token")
      .Alias("--temperature")
      .Default("the model's recommendation");
  flags.Int("--top-k", &options->top_k, "N", "keep the N most likely; 0 keeps all")
      .Default("the model's recommendation");
  flags.Float("--top-p", &options->top_p, "X", "keep the most likely that sum to X")
      .Default("the model's recommendation");
  flags.Float("--min-p", &options->min_p, "X", "drop tokens below X times the most likely")
      .Default("0");
  flags.Float("--repeat-penalty", &options->repeat_penalty, "X", "1 disables it");
  flags.Float("--presence-penalty", &options->presence_penalty, "X", "0 disables it");
  flags.Int("--repeat-last-n", &options->repeat_last_n, "N",
            "how many tokens back the two penalties look");
  flags
      .Text("-s,--seed", &options->seed_text, "N",
            "the same seed gives the same text; -1: a random one, which -v prints")
      .Default("-1")
      .NotEmpty();
  flags.TextList("--stop", &options->stop, "TEXT", "stop before this text; repeatable");
  flags.Bool("--ignore-eos", &options->ignore_eos, "continue after an end token");
  flags
      .Text("--json-schema", &options->json_schema, "FILE",
            "the text is a JSON document that this schema allows; - is stdin")
      .NotEmpty();
  flags
      .Text("--grammar", &options->grammar, "FILE",
            "the text is one that this grammar (GBNF) allows; - is stdin")
      .NotEmpty();
  flags.Bool("--json", &options->json, "the text is a JSON document");
}

void RegisterOutputFlags(Flags& flags, RunOptions* options) {
  flags.Section("Output");
  flags.Bool("--echo", &options->echo, "print the prompt before its continuation");
  flags.Enum("--emit", &options->emit, {{"text", EmitForm::kText}, {"ids", EmitForm::kIds}},
             "what stdout gets");
  flags.Enum("--stats", &options->stats,
             {{"text", StatsForm::kText}, {"json", StatsForm::kJson}, {"none", StatsForm::kNone}},
             "print statistics on stderr at the end");
}

void RegisterInspectionFlags(Flags& flags, RunOptions* options) {
  flags.Section("Inspection");
  flags
      .Text("--profile", &options->profile, "FILE",
            "time each step on each thread and write the profile; see infer-profile")
      .NotEmpty();
  flags.Bool("--dump-profile", &options->dump_profile,
             "print on stderr which nodes took longest, with estimate and measurement");
  flags
      .Text("--trace", &options->trace, "FILE",
            "write a timeline of each thread: FILE.pftrace for Perfetto, FILE.json for "
            "chrome://tracing; INFER_LOG=trace prints steps on stderr")
      .NotEmpty();
  flags
      .Text("--verify-against", &options->verify_against, "POLICY[:TOL]",
            "instead of text: run prompt and -n tokens (by default 8) also with this policy, "
            "compare results of equal origin node by node; exit code 6 if one is off by more "
            "than TOL of its row's largest element, or what its precision explains")
      .NotEmpty();
  flags.Bool("--verify-invariance", &options->verify_invariance,
             "instead of text: run the prompt in random calls, beside other sequences and in other "
             "caches; exit code 6 if a bit of the logits differs");
  flags.Enum("--format", &options->format,
             {{"text", ReportForm::kText}, {"json", ReportForm::kJson}},
             "format of --dump-profile and --verify-against");
}

}  // namespace

void RegisterFlags(Flags& flags, RunOptions* options) {
  RegisterLoadFlags(flags, options);
  RegisterPromptFlags(flags, options);
  RegisterGenerationFlags(flags, options);
  RegisterOutputFlags(flags, options);
  RegisterInspectionFlags(flags, options);
  flags.Example("infer-run -p 'Once upon a time'", "Continue a text with the bundled model.");
  flags.Example("infer-run --chat", "Talk with the model; /help lists the commands.");
  flags.Example("infer-run --chat -p 'What is 47 + 38?'", "Ask one question.");
  flags.Example("infer-run -m model.gguf -f prompt.txt -n 64 --temp 0 -s 1",
                "Greedy, from a file.");
  flags.Example("infer-run -p 'Once upon a time' --verify-against reference",
                "Compare every node with the scalar loops.");
}

absl::StatusOr<std::optional<uint64_t>> ParseSeed(std::string_view text) {
  if (text == "-1") return std::nullopt;
  absl::StatusOr<uint64_t> seed = ParseInt<uint64_t>(text);
  if (seed.ok()) return *seed;
  return absl::InvalidArgumentError(
      StrCat("'", text, "' is not a seed; use a whole number from 0 on, or -1 for a random one"));
}

SamplerOptions SamplerFor(const RunOptions& options, const ModelFamily& family) {
  const bool no_thinking = options.chat && options.think == ThinkMode::kOff;
  const SamplingDefaults& defaults =
      no_thinking ? family.sampling_without_thinking : family.sampling;
  SamplerOptions sampler;
  sampler.temperature = options.temperature.value_or(defaults.temperature);
  sampler.top_k = options.top_k.value_or(defaults.top_k);
  sampler.top_p = options.top_p.value_or(defaults.top_p);
  sampler.min_p = options.min_p.value_or(defaults.min_p);
  sampler.repeat_penalty = options.repeat_penalty;
  sampler.presence_penalty = options.presence_penalty;
  sampler.repeat_last_n = options.repeat_last_n;
  // 32 bits are enough, and keep the seed in the header short enough to type.
  sampler.seed = options.seed.value_or(std::random_device()());
  return sampler;
}

}  // namespace infer
