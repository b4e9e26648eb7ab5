// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Workshop, closeBrowser, openPage } from "./pages.mjs";

const work = new Workshop();

function page(name, ...shape) {
  const size = ["--layers", "3", "--hidden", "64", "--heads", "4", "--kv-heads", "2", "--head-dim", "32", "--ff", "96"];
  work.run("infer-synth", ...size, ...shape, "--vocab", "small", "-o", `${name}.gguf`);
  work.compile(`${name}.gguf`, `${name}.pb`, "simd");
  const calls = ["--ids", "1,2,3,4,5,6,7,8,9,10", "-n", "4", "--ignore-eos"];
  work.run("infer-run", "-m", `${name}.gguf`, "-g", `${name}.pb`, ...calls, "--profile", `${name}.profile`);
  work.run("infer-viz", `${name}.pb`, "--profile", `${name}.profile`, "-o", `${name}.html`);
}

// The groups of calls of the first regime, the one that took longest first: the page shows that.
let groups = null;
function profiledCalls() {
  if (groups) return groups;
  page("experts", "--experts", "8", "--experts-used", "2", "--expert-ff", "32");
  const text = work.run("infer-viz", "experts.pb", "--profile", "experts.profile", "--format", "json");
  const [calls] = JSON.parse(text).programs[0].profile.regimes;
  return (groups = calls.sort((a, b) => b.wall_ns - a.wall_ns));
}

after(async () => {
  await closeBrowser();
  work.close();
});
const open = (name, more) => openPage(work.path(`${name}.html`), { hash: "tab=experts", ...more });

test("every row of a call goes to as many experts as a token uses", () => {
  const calls = profiledCalls();
  assert.equal(calls.length, 2); // the prompt, and the tokens after it
  for (const { sum_tokens, experts } of calls) {
    assert.equal(experts.length, 6); // two nodes of three layers
    // The last layer computes only the rows of the logits.
    for (const { rows } of experts.slice(0, 4)) {
      assert.equal(
        rows.reduce((a, b) => a + b),
        2 * sum_tokens,
      );
    }
  }
});

test("a cell tells its rows, and chooses the layer's node", async () => {
  const layer1 = profiledCalls()[0].experts[2];
  const shown = await open("experts", { theme: "dark" });
  const view = shown.locator(".experts");
  assert.match(await view.locator(".plot").getAttribute("aria-label"), /^3 layers of 8 experts, \d+ calls? with/);
  assert.equal(await view.locator("tbody tr").count(), 3);
  const box = await view.locator(".plot").boundingBox();
  await shown.mouse.move(box.x + 64 + (box.width - 76) * (2.5 / 8), box.y + 10 + 28 * 1.5);
  const text = await view.locator("output").innerText();
  assert.match(text, /^layer 1, expert 2: \d+ rows?, .* an even share$/);
  assert.equal(Number(text.match(/: ([\d,]+) row/)[1].replace(",", "")), layer1.rows[2]);
  await shown.mouse.click(box.x + 70, box.y + 10 + 28 * 2.5);
  assert.match(await shown.locator(".panel").innerText(), /layer\.2\/ffn/);
  assert.deepEqual(shown.said, []);
});

test("fits a narrow screen", async () => {
  profiledCalls();
  const shown = await open("experts", { width: 400 });
  assert.ok(await shown.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  // The wide table scrolls on its own; the drawing stays where it is.
  assert.ok(await shown.evaluate(() => document.querySelector("main").scrollWidth <= innerWidth));
  assert.deepEqual(shown.said, []);
});

test("a model without experts has no such tab", async () => {
  page("dense");
  const shown = await open("dense");
  assert.equal(await shown.locator("#tab-experts").count(), 0);
  assert.equal(await shown.getAttribute("#tab-overview", "aria-selected"), "true");
  assert.deepEqual(shown.said, []);
});
