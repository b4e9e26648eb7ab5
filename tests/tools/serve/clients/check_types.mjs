// SPDX-License-Identifier: Apache-2.0
// Checks that every answer which a schema allows has the type that the clients declare: writes a
// program that assigns one to the other, and compiles it. Run in a folder with node_modules:
//   INFER_SERVE_SCHEMAS=tests/data/serve node check_types.mjs
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// A schema, the type of the client, and what is left out of both: members that repeat parts of the
// request, and members of Anthropic's type that only its own service has.
const pairs = [
  ["chat_completion", 'import("openai").OpenAI.ChatCompletion', []],
  ["chat_completion_chunk", 'import("openai").OpenAI.ChatCompletionChunk', []],
  ["completion", 'import("openai").OpenAI.Completion', []],
  // A vector may be base64, which the client decodes before anybody sees it.
  ["embeddings", 'import("openai").OpenAI.CreateEmbeddingResponse', ["data"]],
  [
    "response",
    'import("openai/resources/responses/responses").Response',
    ["metadata", "output_text", "reasoning", "text", "tool_choice", "tools", "user"],
  ],
  ["response_event", 'import("openai/resources/responses/responses").ResponseStreamEvent', ["response"]],
  ["message", 'import("@anthropic-ai/sdk").Anthropic.Message', ["container", "content", "stop_details", "usage", "diagnostics"]],
  [
    "message_event",
    'import("@anthropic-ai/sdk").Anthropic.RawMessageStreamEvent | { type: "ping" } | { type: "error"; error: unknown }',
    ["content_block", "message", "usage", "delta"],
  ],
];

let program = `import type { FromSchema } from "json-schema-to-ts";
type Without<Union, Name extends string> = Union extends unknown ? Omit<Union, Name> : never;
`;
for (const [name, type, left_out] of pairs) {
  const schema = readFileSync(join(process.env.INFER_SERVE_SCHEMAS, `${name}.schema.json`), "utf8").trim();
  const names = left_out.map((one) => JSON.stringify(one)).join(" | ") || "never";
  program += `const ${name} = ${schema} as const;
export const check_${name}: (made: Without<FromSchema<typeof ${name}>, ${names}>) => Without<${type}, ${names}> = (made) => made;
`;
}
writeFileSync("check_types.ts", program);
const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"];
const run = spawnSync("node_modules/.bin/tsc", [...options, "check_types.ts"], { encoding: "utf8" });
process.stdout.write(run.stdout + run.stderr);
if (run.status === 0) console.log(`${pairs.length} schemas have the types of the clients`);
process.exitCode = run.status ?? 1;
