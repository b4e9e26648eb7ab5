// SPDX-License-Identifier: Apache-2.0
// Prints how long a page of 94 layers in three regimes takes to its first picture and to unfold a box. People feel more
// than 1 s and 100 ms. Times are the page's own; run.sh says how to start it, and that nothing else should run.
import { statSync } from "node:fs";
import { THREE, Workshop, closeBrowser, openPage } from "./browser/pages.mjs";

const RUNS = 5;
const work = new Workshop();
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

async function measure(file) {
  const page = await openPage(file, { hash: "tab=graph" });
  const painted = await page.evaluate(
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
    await page.locator(`[data-key="${key}"]`).first().focus();
    await page.keyboard.press("Enter");
    unfolded.push(Number(await page.locator("svg.graph").getAttribute("data-toggle-ms")));
  }
  await page.context().close();
  return { painted, unfolded: Math.max(...unfolded) };
}

try {
  work.write("three.textproto", THREE);
  work.model("94.gguf", 94);
  for (const policy of ["three.textproto", "tutorial"]) {
    work.compile("94.gguf", "94.pb", policy);
    work.run("infer-viz", "94.pb", "-o", "94.html");
    const runs = [];
    for (let i = 0; i < RUNS; ++i) runs.push(await measure(work.path("94.html")));
    console.log(
      `94 layers, ${policy}: ${(statSync(work.path("94.html")).size / 1e6).toFixed(2)} MB,`,
      `first picture ${median(runs.map((r) => r.painted)).toFixed(0)} ms,`,
      `slowest unfolding ${median(runs.map((r) => r.unfolded)).toFixed(0)} ms (medians of ${RUNS})`,
    );
  }
} finally {
  await closeBrowser();
  work.close();
}
