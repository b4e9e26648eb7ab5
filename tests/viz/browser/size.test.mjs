// SPDX-License-Identifier: Apache-2.0
// How large pages are, and how much of one is made before it is seen: both must not grow with the number of layers.
// measure.mjs has the times.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { THREE, Workshop, closeBrowser, openPage } from "./pages.mjs";

const work = new Workshop();
before(() => {
  work.write("three.textproto", THREE);
  for (const layers of [8, 94]) work.model(`${layers}.gguf`, layers);
  work.model("28.gguf", 28, 16, 8); // layers and heads of Qwen3-0.6B; widths change only numbers
});
after(async () => {
  await closeBrowser();
  work.close();
});

const page = (model, out, policy) => {
  work.compile(model, `${out}.pb`, policy, "--pass-log", `${out}.log`);
  work.run("infer-viz", `${out}.pb`, "--pass-log", `${out}.log`, "-o", `${out}.html`);
};

for (const policy of ["auto", "three.textproto", "tutorial"]) {
  test(`28 layers with the texts of passes and a profile, ${policy}: under 1.5 MB`, () => {
    page("28.gguf", "28", policy);
    work.run("infer-run", "-m", "28.gguf", "-g", "28.pb", "-p", "Once", "-n", "3", "-t", "2", "--profile", "28.profile");
    work.run("infer-viz", "28.pb", "--pass-log", "28.log", "--profile", "28.profile", "-o", "28.html");
    const bytes = statSync(work.path("28.html")).size;
    console.log(`${policy}: ${bytes} bytes`);
    assert.ok(bytes < 1.5e6, `${bytes} bytes`);
  });
}

// Elements of the page at first sight, with one layer open, and folded, after each of four boxes was unfolded.
async function elements(layers) {
  page(`${layers}.gguf`, "layers", "three.textproto");
  const at = await openPage(work.path("layers.html"), { hash: "tab=graph" });
  assert.ok((await at.locator(".segmented[aria-label=Regime] button").count()) >= 3);
  const count = () => at.evaluate(() => document.querySelectorAll("*").length);
  const counts = [await count()];
  await at.click("button >> text=/^Fold$/");
  counts.push(await count());
  for (const key of ["layers", "layers/0", "layers/0/attn", "layers/0/ffn"]) {
    await at.locator(`[data-key="${key}"]`).first().focus();
    await at.keyboard.press("Enter");
    counts.push(await count());
  }
  assert.deepEqual(at.said, []);
  return counts;
}

test("94 layers in three regimes make no more elements than 8 do", async () => {
  const [few, many] = [await elements(8), await elements(94)];
  console.log(`elements at first sight and after each unfolding: ${many.join(", ")}`);
  assert.deepEqual(many, few);
  assert.ok(many[0] < 700, `${many[0]} elements before the first picture`);
});
