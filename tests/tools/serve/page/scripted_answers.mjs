// SPDX-License-Identifier: Apache-2.0
// What the mock answers: chosen by a word in the last message, as events {delta, wait, raw, cut, finish}.

export const TOUR = `Here is a **short tour** of what an answer can contain, with *emphasis*, \`inline code\` and a [link](https://example.com/docs).

## Merging two sorted lists

1. Keep an index into each list.
2. Take the smaller of the two items:
   - from the left list, if they are *equal*, so that the order is kept
   - otherwise from the right one
3. Append what is left.

\`\`\`python
def merge(left: list[int], right: list[int]) -> list[int]:
    """Merges two sorted lists."""
    result, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:  # stable
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    return result + left[i:] + right[j:]
\`\`\`

| approach | time | memory |
|:---------|-----:|:------:|
| merge | O(n + m) | O(n + m) |
| concatenate and sort | O((n + m) log(n + m)) | O(n + m) |

> Both give the same list; the first never compares two items twice.

That is all there is to it.`;

export const HOSTILE = `<script>window.hacked = 1; alert(1)</script>
<img src=x onerror="window.hacked = 2">
<iframe src="https://evil.example/frame"></iframe>
<style>body { display: none }</style>

[click me](javascript:window.hacked=3) and [data](data:text/html,<script>alert(1)</script>) and
[vb](vbscript:x) and [space](  javascript:alert(1)) and <javascript:alert(1)>

![tracker](https://evil.example/pixel.png) ![js](javascript:alert(1)) and [![nested](https://evil.example/2.png)](https://evil.example/3)

[a good link](https://good.example/path?q=1) and https://bare.example/x. and [bank](https://bank.example@evil.example/)
and [relative](/v1/models) and [protocol](//evil.example/x)

<a href="https://evil.example" ping="https://evil.example/ping">html link</a> <form action="https://evil.example"><button>go</button></form>

| <b>x</b> | [t](javascript:alert(2)) |
|---|---|
| <svg onload="window.hacked=4"> | ![i](//evil.example/i.png) |

\`\`\`html
</code></pre><script>window.hacked = 5</script>
\`\`\`

&lt;script&gt;window.hacked=6&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62;`;

// As a model writes: a token is about four characters.
function* tokens(text, wait = 0, name = "content") {
  for (let at = 0; at < text.length; at += 4) yield { wait, delta: { [name]: text.slice(at, at + 4) } };
}

function* long(count) {
  for (let i = 0; i < count; ++i) {
    const text = i % 400 === 0 ? `\n\n## Part ${i / 400}\n\n` : i % 40 === 0 ? `\n\n- item ${i}: ` : `word${i} `;
    // In bursts, as from a server with several tokens per step.
    yield { wait: i % 50 === 0 ? 2 : 0, delta: { content: text } };
  }
}

function* longCode(count) {
  yield { delta: { content: "```cpp\n" } };
  for (let i = 0; i < count; ++i)
    yield { wait: i % 50 === 0 ? 2 : 0, delta: { content: i % 8 === 7 ? `; // line ${i}\n` : ` x${i} =` } };
  yield { delta: { content: "\n```\n" } };
}

function* thinking() {
  yield* tokens("The user asks for a number. I should think about it, then answer briefly.", 1, "reasoning_content");
  yield* tokens("The answer is **42**.", 1);
}

function* toolCall() {
  const call = (part) => ({ delta: { tool_calls: [{ index: 0, ...part }] } });
  yield call({ id: "call_1", type: "function", function: { name: "get_weather", arguments: "" } });
  for (const part of ['{"city": ', '"Paris", ', '"unit": "C"}']) yield call({ function: { arguments: part } });
  yield { finish: "tool_calls" };
}

const SCRIPTS = [
  ["hostile", () => tokens(HOSTILE)],
  ["tour", () => tokens(TOUR)],
  ["slow", () => tokens("This answer comes slowly, one piece after the other. ".repeat(1000), 25)],
  ["20000", () => long(20_000)],
  ["long code", () => longCode(20_000)],
  ["think", thinking],
  ["weather", toolCall],
  [
    "cut off",
    function* () {
      yield* tokens("This answer will not be comp");
      yield { wait: 300, cut: true };
    },
  ],
  [
    "stream error",
    function* () {
      yield* tokens("Half of an ans");
      yield {
        raw: 'data: {"error": {"message": "the engine stopped", "type": "server_error", "param": null, "code": null}}\n\n',
      };
    },
  ],
];

export function answerTo({ messages }) {
  const last = messages.at(-1);
  const [, script] = SCRIPTS.find(([word]) => last.content.includes(word)) ?? [];
  if (script) return script();
  if (last.role === "tool") return tokens(`The tool says: ${last.content}`);
  return tokens(`You said: ${last.content} (message ${messages.filter(({ role }) => role === "user").length})`, 1);
}
