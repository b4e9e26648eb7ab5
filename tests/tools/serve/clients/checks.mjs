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
  "/v1/models": ["models", "", "error"],
};

export const seen = { bodies: 0, events: 0 };
const pending = [];

async function inspect(path, response) {
  const names = routes[path];
  if (!names) return;
  const text = await response.text();
  if (!response.headers.get("content-type").startsWith("text/event-stream")) {
    validate(response.ok ? names[0] : names[2], JSON.parse(text));
    seen.bodies += 1;
    return;
  }
  for (const event of text.split("\n\n")) {
    assert.doesNotMatch(event, /^(id|retry):/m);
    const data = event.split("\n").find((line) => line.startsWith("data: "));
    if (!data || data === "data: [DONE]") continue;
    validate(names[1], JSON.parse(data.slice(6)));
    seen.events += 1;
  }
}

export async function fetchAndValidate(input, init) {
  const response = await fetch(input, init);
  const path = new URL(typeof input === "string" ? input : (input.url ?? input.href)).pathname;
  const copy = response.clone();
  // A client that stops reading ends its copy too.
  pending.push(inspect(path, copy).catch((error) => (error.name === "AbortError" || error.code === "ERR_INVALID_STATE" ? null : Promise.reject(error))));
  return response;
}

let count = 0;
export async function check(name, run) {
  try {
    await run();
    await Promise.all(pending.splice(0));
    count += 1;
  } catch (error) {
    console.error(`FAILED ${name}: ${error.stack ?? error}`);
    process.exitCode = 1;
    pending.splice(0).forEach((one) => one.catch(() => null));
  }
}

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
