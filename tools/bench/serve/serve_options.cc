// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/serve_options.h"

#include "ir/base/control_chars.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"

namespace infer::load {
namespace {

constexpr int64_t kMaxUsers = 20'000;

void RegisterServerFlags(Flags& flags, ServeOptions* options) {
  flags.Section("Servers");
  flags.TextList("--url", &options->urls, "URL",
                 "http://HOST[:PORT] or unix:PATH of an OpenAI-compatible server; two of them are "
                 "measured in turn");
  flags.Enum("--endpoint", &options->form.api,
             {{"completions", Api::kCompletions}, {"chat", Api::kChat}},
             "which of the two APIs to use");
  flags.Text("--model-name", &options->form.model, "NAME", "name to ask for")
      .Default("the first listed");
  flags.Text("--api-key", &options->form.api_key, "KEY", "sent with every request");
  flags.Bool("--force-length", &options->form.force_length,
             "send ignore_eos and min_tokens, so that answers have the length asked for");
  flags.Text("--extra", &options->form.extra, "JSON", "object whose members are added to requests");
}

void RegisterMixFlags(Flags& flags, ServeOptions* options) {
  flags.Section("Requests");
  flags.Text("-p,--prompt-tokens", &options->prompt_text, "LENGTHS",
             "tokens of a prompt: N, uniform:LOW,HIGH, lognormal:MEDIAN,SIGMA[,HIGHEST] or "
             "file:PATH with numbers to draw from");
  flags.Text("-n,--output-tokens", &options->output_text, "LENGTHS",
             "tokens of an answer, in the same forms");
  flags
      .Int("--prefix-tokens", &options->prefix_tokens, "N",
           "tokens that prompts begin with in common, in addition to -p")
      .Range(0, 1 << 20);
  flags.Float("--prefix-share", &options->prefix_share, "X", "share of prompts that begin so")
      .Range(0, 1);
  flags.Int("--prefixes", &options->prefixes, "N", "number of different common prefixes")
      .Range(1, 1000);
  flags
      .Int("--intruder-tokens", &options->intruder_tokens, "N",
           "also send a prompt this long now and then, and report the others' gaps meanwhile")
      .Range(0, 1 << 20);
  flags.Float("--intruder-every", &options->intruder_every_s, "S", "seconds between two of them")
      .Range(0.01, 1e6);
  flags
      .Float("--cancel-share", &options->cancel_share, "X",
             "share of requests whose client leaves at a random moment")
      .Range(0, 1);
  flags.Float("--bad-share", &options->bad_share, "X", "share of requests that are malformed")
      .Range(0, 1);
}

void RegisterPaceFlags(Flags& flags, ServeOptions* options) {
  flags.Section("Load");
  flags
      .Int("--users", &options->users, "N",
           "closed loop: each user sends the next request when the last one has ended")
      .Range(1, kMaxUsers)
      .Default("1");
  flags.Float("--rate", &options->rate, "R", "open loop: requests per second, come what may")
      .Range(1e-3, 1e5);
  flags.Bool("--poisson", &options->poisson,
             "random arrivals of an open loop; --no-poisson: at equal distances");
  flags.Int("--requests", &options->requests, "N", "requests in a round")
      .Range(1, 1e8)
      .Default("4 for each user, 100 in an open loop, no limit with --duration");
  flags.Float("--duration", &options->duration_s, "S", "begin no request after this many seconds")
      .Range(0, 1e6);
  flags.Int("--warmup", &options->warmup, "N", "requests of each user before the clock starts")
      .Range(0, 1000);
  flags.Int("--rounds", &options->rounds, "N", "measurements of each server").Range(1, 1000);
  flags.Float("--timeout", &options->timeout_s, "S", "give up after so long without a byte")
      .Range(0.1, 1e6);
  flags.Int("-s,--seed", &options->seed, "N", "seed of prompts, lengths and arrivals");
  flags.Text("--requests-file", &options->requests_file, "FILE",
             "also write a line of CSV for each request");
  flags.Bool("--strict", &options->strict, "exit code 6 if any request failed");
}

}  // namespace

void RegisterServeFlags(Flags& flags, ServeOptions* options) {
  RegisterServerFlags(flags, options);
  RegisterMixFlags(flags, options);
  RegisterPaceFlags(flags, options);
}

absl::Status CompleteServe(ServeOptions* options) {
  if (options->urls.empty() || options->urls.size() > 2) {
    return UsageError("give one --url, or two to compare; such as --url http://127.0.0.1:8080");
  }
  if (options->users && options->rate) {
    return UsageError("--users is a closed loop and --rate an open one; give one of them");
  }
  if (options->cancel_share + options->bad_share > 1) {
    return UsageError("--cancel-share and --bad-share together exceed 1");
  }
  if (HasControl(options->form.api_key)) return UsageError("--api-key has a control character");
  if (!options->form.extra.empty() && !ParseJson(options->form.extra).is_object()) {
    return UsageError("--extra is not a JSON object, such as {\"temperature\": 1}");
  }
  ASSIGN_OR_RETURN(const Lengths prompt, Lengths::Parse("-p", options->prompt_text));
  ASSIGN_OR_RETURN(const Lengths output, Lengths::Parse("-n", options->output_text));
  options->mix = Mix{.prompt_tokens = prompt,
                     .output_tokens = output,
                     .prefix_tokens = options->prefix_tokens,
                     .prefix_share = options->prefix_share,
                     .prefixes = options->prefixes,
                     .cancel_share = options->cancel_share,
                     .bad_share = options->bad_share,
                     .intruder_tokens = options->intruder_tokens};
  Pace& pace = options->pace;
  pace.users = options->users.value_or(1);
  pace.rate = options->rate.value_or(0);
  pace.poisson = options->poisson;
  pace.duration_s = options->duration_s;
  pace.intruder_every_s = options->intruder_tokens > 0 ? options->intruder_every_s : 0;
  pace.timeout_s = options->timeout_s;
  pace.seed = options->seed;
  if (options->requests) {
    pace.requests = *options->requests;
  } else if (options->duration_s == 0) {
    pace.requests = options->rate ? 100 : 4 * pace.users;
  }
  return absl::OkStatus();
}

}  // namespace infer::load
