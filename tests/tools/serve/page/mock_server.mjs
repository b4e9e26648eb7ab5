// SPDX-License-Identifier: Apache-2.0
// A server that speaks the routes of infer-serve with scripted answers. `node mock_server.mjs [PORT]` shows the page for
// work on it.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { answerTo } from "./scripted_answers.mjs";
import { LiveScript } from "./scripted_live.mjs";

const dist = new URL("../../../../tools/serve/page/dist/", import.meta.url);
const PROPS = {
  model: "Qwen3-0.6B-Q8_0",
  context: 4096,
  thinking: { available: true, switchable: true },
  tools: true,
  defaults: { temperature: 0.6000000238418579, top_p: 0.949999988079071, top_k: 20, min_p: 0 },
  defaults_without_thinking: { temperature: 0.7, top_p: 0.8, top_k: 20, min_p: 0 },
};

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const errorBody = (message, code = null) => JSON.stringify({ error: { message, type: "error", param: null, code } });

export class MockServer {
  key = null; // the API key that is asked for
  requests = []; // bodies of chat requests
  aborted = 0; // streams that the client closed
  paths = []; // every path that was asked for
  failures = []; // {status, headers, message, code} for the next chat requests
  pace = 0; // ms between tokens of scripts without a pace of their own
  live = new LiveScript();

  async start(port = 0) {
    this.server = createServer((request, response) => this.#handle(request, response));
    await new Promise((done) => this.server.listen(port, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }

  async #handle(request, response) {
    const url = new URL(request.url, this.url);
    this.paths.push(url.pathname);
    if (url.pathname === "/") return this.#page(response);
    if (this.key !== null && request.headers.authorization !== `Bearer ${this.key}`)
      return this.#json(response, 401, errorBody("the API key is missing or wrong", "invalid_api_key"));
    if (url.pathname === "/props") return this.#json(response, 200, JSON.stringify(PROPS));
    if (url.pathname === "/live")
      return this.#json(response, 200, JSON.stringify(this.live.report(Number(url.searchParams.get("since")))));
    if (url.pathname === "/placement") {
      response.writeHead(200, { "content-type": "text/html" });
      return response.end("<!doctype html><title>placement</title><p>placement");
    }
    if (url.pathname === "/v1/chat/completions" && request.method === "POST") return this.#chat(request, response);
    return this.#json(response, 404, errorBody(`there is no ${url.pathname}`));
  }

  #page(response) {
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": readFileSync(new URL("policy.txt", dist), "utf8").trim(),
      "x-content-type-options": "nosniff",
    });
    response.end(readFileSync(new URL("page.html", dist)));
  }

  #json(response, status, body, headers = {}) {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body);
  }

  async #chat(request, response) {
    let text = "";
    for await (const piece of request) text += piece;
    const body = JSON.parse(text);
    this.requests.push(body);
    const failure = this.failures.shift();
    if (failure) return this.#json(response, failure.status, errorBody(failure.message, failure.code), failure.headers);
    response.on("close", () => {
      if (!response.writableEnded) ++this.aborted;
    });
    await this.#stream(response, body);
  }

  // The order of events of a chat stream, as the server sends them.
  async #stream(response, body) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" });
    const send = (choices, usage = null) => {
      const chunk = {
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: body.model,
        choices,
        usage,
      };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    const delta = (part, finish_reason = null) => send([{ index: 0, delta: part, finish_reason }]);
    delta({ role: "assistant", content: "" });
    let tokens = 0;
    let finish = "stop";
    for (const event of answerTo(body)) {
      if (response.destroyed) return;
      if (event.wait || this.pace) await sleep(event.wait || this.pace);
      if (event.cut) return response.destroy();
      if (event.raw) response.write(event.raw);
      if (event.finish) finish = event.finish;
      if (event.delta) {
        ++tokens;
        delta(event.delta);
      }
      if (response.writableNeedDrain) await new Promise((done) => response.once("drain", done).once("close", done));
    }
    delta({}, finish);
    const prompt = body.messages.length * 40;
    send([], {
      prompt_tokens: prompt,
      completion_tokens: tokens,
      total_tokens: prompt + tokens,
      prompt_tokens_details: { cached_tokens: prompt - 40 },
    });
    response.end("data: [DONE]\n\n");
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const server = await new MockServer().start(Number(process.argv[2] ?? 8090));
  console.log(server.url);
}
