// SPDX-License-Identifier: Apache-2.0
// Collects the chunks of one streamed chat completion.

export class Answer {
  content = "";
  reasoning = "";
  toolCalls = []; // {id, name, arguments}
  finish = null;
  usage = null;
  #firstAt = null;
  #lastAt = null;

  constructor(startedAt) {
    this.startedAt = startedAt;
  }

  // Takes one chunk that arrived at the time `now` in ms.
  add(chunk, now) {
    if (chunk.usage) this.usage = chunk.usage;
    const choice = chunk.choices?.[0];
    if (!choice) return;
    const { delta = {} } = choice;
    // Servers send thoughts under either name, ours under both.
    const thought = delta.reasoning_content ?? delta.reasoning;
    const text = typeof delta.content === "string" ? delta.content : "";
    if (typeof thought === "string") this.reasoning += thought;
    this.content += text;
    for (const call of delta.tool_calls ?? []) this.#addCall(call);
    if (choice.finish_reason) this.finish = choice.finish_reason;
    if (text || thought || delta.tool_calls?.length) {
      this.#firstAt ??= now;
      this.#lastAt = now;
    }
  }

  #addCall({ index = 0, id, function: part = {} }) {
    const call = (this.toolCalls[index] ??= { id: "", name: "", arguments: "" });
    if (id) call.id = id;
    if (part.name) call.name = part.name;
    if (typeof part.arguments === "string") call.arguments += part.arguments;
  }

  get isThinking() {
    return this.reasoning !== "" && this.content === "" && this.toolCalls.length === 0 && this.finish === null;
  }

  // What the line under an answer reports; null before the first token.
  speed() {
    if (this.#firstAt === null) return null;
    return {
      first_ms: this.#firstAt - this.startedAt,
      decode_ms: this.#lastAt - this.#firstAt,
      tokens: this.usage?.completion_tokens ?? null,
      prompt_tokens: this.usage?.prompt_tokens ?? null,
      cached_tokens: this.usage?.prompt_tokens_details?.cached_tokens ?? null,
    };
  }

  // The answer as the store keeps it.
  message() {
    const message = { role: "assistant", content: this.content };
    if (this.reasoning) message.reasoning = this.reasoning;
    const calls = this.toolCalls.filter(Boolean);
    if (calls.length) message.tool_calls = calls;
    if (this.finish) message.finish = this.finish;
    const speed = this.speed();
    if (speed) message.speed = speed;
    return message;
  }
}

// A shorter time says nothing about the speed: tokens arrive together.
const MIN_DECODE_MS = 20;

// "128 tokens · 31.2 tokens/s · first after 0.24 s · prompt 512, 448 from the cache"
export function speedText({ first_ms, decode_ms, tokens, prompt_tokens, cached_tokens }) {
  const parts = [];
  if (tokens !== null) parts.push(`${tokens.toLocaleString("en-US")} ${tokens === 1 ? "token" : "tokens"}`);
  if (tokens > 1 && decode_ms >= MIN_DECODE_MS)
    parts.push(`${((1000 * (tokens - 1)) / decode_ms).toFixed(1)} tokens/s`);
  parts.push(`first after ${(first_ms / 1000).toFixed(2)} s`);
  if (prompt_tokens !== null) {
    const cached = cached_tokens > 0 ? `, ${cached_tokens.toLocaleString("en-US")} from the cache` : "";
    parts.push(`prompt ${prompt_tokens.toLocaleString("en-US")}${cached}`);
  }
  return parts.join(" \u00b7 ");
}
