// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/foreign_flags.h"

#include <algorithm>
#include <initializer_list>

namespace infer {
namespace {

struct ForeignFlag {
  std::initializer_list<std::string_view> names;
  std::string_view flag;  // required of the tool; empty if the hint is for every tool
  std::string_view hint;
};

const ForeignFlag kForeignFlags[] = {
    {{"-hf", "-hfr", "--hf-repo", "-hff", "--hf-file", "-hft", "--hf-token", "-mu", "--model-url",
      "-dr", "--docker-repo"},
     "--model",
     "nothing is downloaded here; fetch the GGUF file and give it with -m FILE"},
    {{"-cnv", "--conversation"}, "--chat", "use --chat"},
    {{"-no-cnv", "--no-conversation"}, "--chat", "leave out --chat: text is continued by default"},
    {{"-i", "--interactive", "-if", "--interactive-first", "-ins", "--instruct"},
     "--chat",
     "use --chat without -p, which asks for one message after another"},
    {{"-st", "--single-turn"}, "--chat", "use --chat -p TEXT, which ends after one answer"},
    {{"-r", "--reverse-prompt"}, "--stop", "use --stop TEXT"},
    {{"-b", "--batch-size"},
     "--ubatch-size",
     "the tokens of one call are set with -ub, --ubatch-size"},
    {{"-tb", "--threads-batch"}, "--threads", "prompts and answers use the threads of -t"},
    {{"-ctv", "--cache-type-v"}, "--kv-type", "keys and values have one type, --kv-type (-ctk)"},
    {{"--cache-type-k"}, "--kv-type", "use --kv-type (-ctk)"},
    {{"-fa", "--flash-attn"}, "", "attention always runs fused; leave it out"},
    {{"--mlock", "--no-mmap", "--mmap", "-lm", "--load-mode"},
     "--pack-cache",
     "weights are mapped and packed in memory; --pack-cache keeps the packed form for the next "
     "load"},
    {{"-dev", "--device", "-sm", "--split-mode", "-mg", "--main-gpu", "-ts", "--tensor-split"},
     "--place",
     "choose where nodes run with --policy, --place or -ngl; 'infer devices' lists the targets"},
    {{"--list-devices"}, "", "use 'infer devices'"},
    {{"-e", "--escape", "--no-escape"},
     "--prompt",
     "backslashes are taken as they are; write $'...' in the shell or use -f FILE"},
    {{"--jinja", "--no-jinja"},
     "--chat-template",
     "leave it out: the model's own template is used, or that of --chat-template FILE"},
    {{"--no-display-prompt", "--display-prompt", "-sp", "--special", "--simple-io", "--log-disable",
      "--no-perf", "--no-warmup", "-fit", "--fit"},
     "--emit",
     "leave it out: stdout carries the answer alone, stderr everything else (-q silences it)"},
    {{"--keep", "--ctx-shift", "--context-shift", "--no-context-shift"},
     "--chat",
     "leave it out: --chat drops the oldest turns when the context is full and keeps the system "
     "message"},
    {{"-j"}, "--json-schema", "use --json-schema FILE"},
    {{"--reasoning-budget"}, "--think-budget", "use --think-budget N"},
    {{"--reasoning-format"}, "--reasoning", "use --reasoning on, off or auto"},
    {{"-sysf", "--system-prompt-file"}, "--system", "use --system \"$(cat FILE)\""},
    {{"--system-prompt"}, "--system", "use --system TEXT"},
    {{"-bf", "--binary-file"}, "--file", "use -f FILE"},
    {{"-ngld", "--gpu-layers-draft", "-cd", "--ctx-size-draft", "--draft", "--draft-n",
      "--draft-max", "--draft-min", "--draft-p-min"},
     "--draft-model",
     "leave it out: the length of drafts follows the share that is accepted"},
    {{"--samplers", "--sampling-seq", "--mirostat", "--mirostat-lr", "--mirostat-ent", "--typical",
      "--typical-p", "--top-n-sigma", "--xtc-probability", "--xtc-threshold", "--dry-multiplier",
      "--dry-base", "--dynatemp-range", "--frequency-penalty", "-l", "--logit-bias"},
     "--temp",
     "sampling is set with --temp, --top-k, --top-p, --min-p, --repeat-penalty and "
     "--presence-penalty"},
    {{"--prompt-cache", "--prompt-cache-all", "--prompt-cache-ro"},
     "--chat",
     "a chat keeps its tokens in memory; /save and /load store the messages"},
    {{"--lora", "--lora-scaled", "--control-vector"}, "", "adapters are not supported"},
    {{"--rope-scaling", "--rope-scale", "--rope-freq-base", "--rope-freq-scale", "--yarn-orig-ctx"},
     "--ctx-size",
     "leave it out: the scaling of positions is read from the model file"},
    {{"--host", "--port", "-np", "--parallel", "--api-key"},
     "--chat",
     "infer-run has no server; it reads from the terminal, stdin or -p"},
    {{"-lv", "--log-verbosity", "--verbosity", "--verbose-prompt"}, "", "use -v or -vv"},
};

}  // namespace

std::string ForeignFlagHint(std::string_view name,
                            const std::function<bool(std::string_view)>& has_flag) {
  for (const ForeignFlag& row : kForeignFlags) {
    if (std::ranges::find(row.names, name) == row.names.end()) continue;
    if (row.flag.empty() || has_flag(row.flag)) return std::string(row.hint);
  }
  return "";
}

}  // namespace infer
