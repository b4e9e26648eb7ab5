// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/serve_options.h"

#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"

namespace infer::serve {
namespace {

void RegisterModel(Flags& flags, ServeOptions* options) {
  RegisterModelFlags(flags, &options->model);
  RegisterPolicy(flags, &options->model);
  RegisterCallSizes(flags, &options->model);
  RegisterPackCache(flags, &options->model);
  flags.TextList("--alias", &options->names, "NAME",
                 "name of the model for clients; repeatable, the first is shown in answers");
  flags.Enum("--pooling", &options->pooling,
             {{"file", Pooling::kNone},
              {"last", Pooling::kLast},
              {"mean", Pooling::kMean},
              {"cls", Pooling::kCls},
              {"rank", Pooling::kRank}},
             "serve vectors (/v1/embeddings) or scores (/v1/rerank) instead of text; file: if the "
             "model's file says so");
  flags.Text("--chat-template", &options->chat_template, "FILE",
             "Jinja template to use instead of the model's own");
  RegisterThreads(flags, &options->model.threads);
}

void RegisterNetwork(Flags& flags, ServeOptions* options) {
  http::ServerOptions* http = &options->http;
  flags.Section("Network");
  flags.Text("--host", &http->host, "ADDRESS", "address to bind to; 0.0.0.0 or :: for all")
      .NotEmpty();
  flags.Int("--port", &http->port, "N", "port; 0 takes a free one").Range(0, 65535);
  flags.Text("--unix", &http->unix_socket, "PATH", "listen on a unix socket instead of a port");
  flags.Text("--tls-cert", &http->tls_certificate, "FILE",
             "certificate chain in PEM, for HTTPS; read again on SIGHUP, with its key");
  flags.Text("--tls-key", &http->tls_key, "FILE", "private key in PEM");
  flags.Text("--keys", &http->keys_file, "FILE",
             "API keys, a line \"NAME KEY\" each; read again on SIGHUP");
  flags.TextList("--allow-host", &http->allowed_hosts, "NAME",
                 "accept this name in the Host header, beside those of the address; repeatable");
  flags.TextList("--allow-origin", &http->allowed_origins, "ORIGIN",
                 "let pages of this origin call the server; * for all; repeatable");
  flags
      .Float("--drain", &options->drain_seconds, "SECONDS",
             "time for running answers after SIGTERM or SIGINT")
      .Range(0, 86400);
  flags
      .Float("--ping", &options->ping_seconds, "SECONDS",
             "longest silence of a stream before a comment keeps it alive")
      .Range(0.1, 3600);
  flags.Text("--access-log", &options->access_log, "FILE",
             "a line of JSON for each request; - is stderr; reopened on SIGHUP");
}

void RegisterScheduling(Flags& flags, ServeOptions* options) {
  RunnerOptions* runner = &options->runner;
  flags.Section("Scheduling");
  flags
      .Int("-np,--max-running", &runner->max_running, "N",
           "requests that are answered at the same time")
      .Alias("--parallel")
      .Range(1, 1024);
  flags.Int("--max-waiting", &runner->max_waiting, "N", "requests in the queue; more get a 429")
      .Range(0, 1 << 20);
  flags.Int("--max-queued-tokens", &runner->max_queued_tokens, "N", "tokens of queued prompts")
      .Min(1);
  flags
      .Float("--step-ms", &runner->step_ms, "MS",
             "target time of a call while somebody receives tokens")
      .Range(1, 60000);
  flags
      .Int("--cache-tokens", &options->cache_tokens, "N",
           "positions of the KV cache, shared by all requests and the prefix cache")
      .Min(0)
      .Default("the context of every running request, within half of the available memory");
  flags.Bool("--share-prefixes", &runner->share_prefixes,
             "take the beginnings of prompts from the cache");
  flags.Bool("--drafts", &runner->drafts, "guess tokens from the text while few requests run");
}

void RegisterLimits(Flags& flags, ServeOptions* options) {
  http::ServerOptions* http = &options->http;
  flags.Section("Limits");
  flags.Size("--max-header", &http->max_header_bytes, "BYTES", "size of a request's head");
  flags.Float("--header-timeout", &http->header_seconds, "SECONDS", "time to send it")
      .Range(0.01, 3600);
  flags.Size("--max-body", &http->max_body_bytes, "BYTES", "size of a request's body");
  flags.Float("--body-timeout", &http->body_seconds, "SECONDS", "time to send it")
      .Range(0.01, 86400);
  flags.Size("--min-body-rate", &http->min_body_rate, "BYTES",
             "bytes of a body that extend its time by a second");
  flags.Size("--max-bodies", &http->max_bodies_bytes, "BYTES",
             "size of all bodies that are being received");
  flags.Float("--idle-timeout", &http->idle_seconds, "SECONDS", "between requests of a connection")
      .Range(0.01, 86400);
  flags.Int("--max-connections", &http->max_connections, "N", "connections").Range(1, 1 << 20);
  flags
      .Int("--max-connections-per-address", &http->max_connections_per_address, "N",
           "of one client")
      .Range(1, 1 << 20);
  flags.Size("--max-unsent", &http->max_unsent_bytes, "BYTES",
             "unsent bytes of a stream before its request is paused");
  flags
      .Float("--unsent-timeout", &http->unsent_seconds, "SECONDS",
             "time without reading after which a client is dropped")
      .Range(0.01, 86400);
}

}  // namespace

void RegisterFlags(Flags& flags, ServeOptions* options) {
  RegisterModel(flags, options);
  RegisterNetwork(flags, options);
  RegisterScheduling(flags, options);
  RegisterLimits(flags, options);
  flags.Note(
      "Serves OpenAI's chat completions, completions and responses and Anthropic's messages; a "
      "page "
      "with a chat and a live view is at /. Answers do not depend on other requests unless "
      "--no-invariant is given.");
  flags.Example("infer-serve", "Serve the bundled model at http://127.0.0.1:8080/.");
  flags.Example(
      "infer-serve -m model.gguf --host 0.0.0.0 --keys keys.txt --tls-cert c.pem --tls-key k.pem",
      "Serve other machines, with keys and HTTPS.");
  flags.Example("infer-serve -m model.gguf -c 8192 --max-running 32 --cache-tokens 131072",
                "32 requests at a time share a cache of 131072 positions.");
}

absl::Status CompleteOptions(const Flags& flags, ServeOptions* options) {
  const http::ServerOptions& http = options->http;
  if (http.tls_certificate.empty() != http.tls_key.empty()) {
    return UsageError("--tls-cert and --tls-key: HTTPS needs both");
  }
  if (!http.unix_socket.empty() && (flags.Given("--port") || flags.Given("--host"))) {
    return UsageError("--unix with --host or --port: a server listens on one of them");
  }
  for (const std::string& name : options->names) {
    if (name.empty()) return UsageError("--alias: a name must not be empty");
  }
  if (!options->model.compile.invariant) options->model.compile.invariant = true;
  return CompleteModelFlags(&options->model);
}

bool IsReachableFromOutside(const http::ServerOptions& options) {
  if (!options.unix_socket.empty()) return false;
  return options.host != "localhost" && options.host != "::1" && !options.host.starts_with("127.");
}

}  // namespace infer::serve
