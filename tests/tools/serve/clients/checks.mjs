// SPDX-License-Identifier: Apache-2.0
// What the scripts share: named checks, and a fetch that validates every response of the server
// against the schemas of tests/data/serve.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";

export const url = process.argv[2].replace(/\/$/, "");
const ajv = new Ajv({ strict: false });
const schemas = process.env.INFER_SERVE_SCHEMAS;
const validators = new Map();

function validate(name, data) {
  if (!validators.has(name)) {
    const text = readFileSync(join(schemas, `${name}.schema.json`), "utf8");
    validators.set(name, ajv.compile(JSON.parse(text)));
  }
  const check = validators.get(name);
  assert.ok(check(data), `${name}: ${JSON.stringify(check.errors?.slice(0, 3))} in ${JSON.stringify(data).slice(0, 600)}`);
}

// The schemas of a route: of a whole answer, of an event, of an error.
const routes = {
  "/v1/chat/completions": ["chat_completion", "chat_completion_chunk", "error"],
  "/v1/completions": ["completion", "completion_chunk", "error"],
  "/v1/responses": ["response", "response_event", "error"],
  "/v1/messages": ["message", "message_event", "message_error"],
  "/v1/embeddings": ["embeddings", "", "error"],
  "/v1/rerank": ["rerank", "", "error"],
  "/v1/models": ["models", "", "error"],
};

export const seen = { bodies: 0, events: 0 };
let problems = [];

function inspect(validateIt) {
  try {
    validateIt();
  } catch (error) {
    problems.push(error);
  }
}

function inspectEvent(schema, event) {
  assert.doesNotMatch(event, /^(id|retry):/m);
  const data = event.split("\n").find((line) => line.startsWith("data: "));
  if (!data || data === "data: [DONE]") return;
  validate(schema, JSON.parse(data.slice(6)));
  seen.events += 1;
}

// Validates what passes through to the client, up to where it stops reading.
export async function fetchAndValidate(input, init) {
  const response = await fetch(input, init);
  const path = new URL(typeof input === "string" ? input : (input.url ?? input.href)).pathname;
  const names = routes[path];
  if (!names || !response.body) return response;
  const isStream = response.headers.get("content-type").startsWith("text/event-stream");
  const decoder = new TextDecoder();
  let text = "";
  const watched = response.body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        text += decoder.decode(chunk, { stream: true });
        for (let end; isStream && (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
          const event = text.slice(0, end);
          inspect(() => inspectEvent(names[1], event));
        }
        controller.enqueue(chunk);
      },
      flush() {
        if (isStream) return inspect(() => assert.equal(text, "", "an event without its end"));
        inspect(() => validate(response.ok ? names[0] : names[2], JSON.parse(text)));
        seen.bodies += 1;
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(watched, { status, statusText, headers });
}

// What makes an answer long enough to be aborted in its middle. Node 20's fetch has a race: if an abort meets the end of the
// answer, a read that waits is never settled, and the script ends with code 13.
export const longAnswer = { max_tokens: 1500, ignore_eos: true };

let count = 0;
let current = "";
export async function check(name, run) {
  current = name;
  try {
    await run();
    if (problems.length > 0) throw problems[0];
    count += 1;
  } catch (error) {
    console.error(`FAILED ${name}: ${error.stack ?? error}`);
    process.exitCode = 1;
  }
  problems = [];
  current = "";
}

// Node ends with 13, and says nothing of use, if nothing is left that could settle a promise.
process.on("exit", () => {
  if (current) console.error(`FAILED ${current}: it never ended`);
});

export async function rejects(promise, status) {
  try {
    await promise;
  } catch (error) {
    assert.equal(error.status ?? error.statusCode, status, String(error));
    return error;
  }
  throw new Error(`expected an error with status ${status}`);
}

export function report() {
  console.log(`${count} checks, ${seen.bodies} bodies and ${seen.events} events validated`);
}
export { assert };
