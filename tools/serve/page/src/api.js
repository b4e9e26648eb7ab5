// SPDX-License-Identifier: Apache-2.0
// The routes of the server that this page uses. Errors are ApiErrors; an aborted request throws an AbortError.
import { ApiError, errorOf, offlineError, streamError } from "./api_error.js";
import { SseParser } from "./sse.js";

const isAbort = (error) => error?.name === "AbortError";

export class Api {
  // key: {get, set}: where the API key is kept.
  constructor(key, fetchFunction = (...args) => fetch(...args)) {
    this.key = key;
    this.fetch = fetchFunction;
  }

  async #ask(path, { headers = {}, ...init } = {}) {
    const key = this.key.get();
    let response;
    try {
      response = await this.fetch(path, {
        ...init,
        headers: key ? { ...headers, authorization: `Bearer ${key}` } : headers,
        cache: "no-store",
        referrerPolicy: "no-referrer",
      });
    } catch (error) {
      throw isAbort(error) ? error : offlineError();
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  async #json(path, init) {
    const response = await this.#ask(path, init);
    try {
      return await response.json();
    } catch (error) {
      throw isAbort(error) ? error : new ApiError("server", `${path} did not answer with JSON.`);
    }
  }

  props(signal) {
    return this.#json("/props", { signal });
  }

  // What happened from step `since` on.
  live(since, signal) {
    return this.#json(`/live?since=${since}`, { signal });
  }

  async placement(signal) {
    return (await this.#ask("/placement", { signal })).text();
  }

  // Calls onChunk with each chunk of the answer. Resolves at the end of the stream.
  async chat(body, signal, onChunk) {
    const response = await this.#ask("/v1/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
      signal,
    });
    let isDone = false;
    const parser = new SseParser((data) => {
      if (isDone) return;
      if (data === "[DONE]") {
        isDone = true;
        return;
      }
      const chunk = JSON.parse(data);
      if (chunk.error) throw streamError(chunk.error);
      onChunk(chunk);
    });
    await this.#read(response, parser);
    if (!isDone) throw new ApiError("stream", "The connection closed before the answer was complete.");
  }

  async #read(response, parser) {
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        parser.push(decoder.decode(value, { stream: true }));
      }
      parser.push(decoder.decode());
    } catch (error) {
      reader.cancel().catch(() => {});
      if (isAbort(error) || error instanceof ApiError) throw error;
      if (error instanceof SyntaxError) throw new ApiError("stream", "The stream contains something that is not JSON.");
      throw new ApiError("stream", "The connection to the server was lost.");
    }
  }
}
