// SPDX-License-Identifier: Apache-2.0
// How large pages are, and how long they take. Times are the page's own, with room for a slow machine beside the limits
// that people feel: 1 s to the first picture, 100 ms to unfold.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { Browser, THREE, Workshop } from "./pages.mjs";

const work = new Workshop();
const browser = new Browser();
before(async () => {
  work.write("three.textproto", THREE);
  work.model("28.gguf", 28);
  work.model("94.gguf", 94);
  await browser.start();
});
after(async () => {
  await browser.close();
  work.close();
});

const page = (model, out, policy) => {
  work.compile(model, `${out}.pb`, policy);
  work.run("infer-viz", `${out}.pb`, "-o", `${out}.html`);
  return statSync(work.path(`${out}.html`)).size;
};

test("28 layers, whole operations and primitives: under 1.5 MB", () => {
  const bytes = [page("28.gguf", "whole", "three.textproto"), page("28.gguf", "primitives", "tutorial")];
  console.log(`whole ${bytes[0]} bytes, primitives ${bytes[1]} bytes`);
  for (const size of bytes) assert.ok(size < 1.5e6, `${size} bytes`);
});

test("94 layers in three regimes: first picture under 1 s, unfolding under 100 ms", async () => {
  console.log(`94 layers: ${page("94.gguf", "94", "three.textproto")} bytes`);
  const at = await browser.open(work.path("94.html"), { hash: "tab=graph" });
  assert.ok((await at.locator(".segmented[aria-label=Regime] button").count()) >= 3);
  const painted = await at.evaluate(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() =>
          requestAnimationFrame(() =>
            done(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.now()),
          ),
        ),
      ),
  );
  const unfolded = [];
  for (const key of ["layers", "layers/0", "layers/0/attn", "layers/0/ffn"]) {
    await at.locator(`[data-key="${key}"]`).first().focus();
    await at.keyboard.press("Enter");
    unfolded.push(Number(await at.locator("svg.graph").getAttribute("data-toggle-ms")));
  }
  console.log(`first paint ${painted.toFixed(0)} ms, unfolding ${unfolded.join(", ")} ms`);
  assert.ok(painted < 1000, `first paint after ${painted} ms`);
  assert.ok(Math.max(...unfolded) < 100, `unfolding took ${unfolded} ms`);
  assert.deepEqual(at.said, []);
});
