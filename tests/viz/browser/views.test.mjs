// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { copyReport, openPage } from "./pages.mjs";
import { sample } from "./sample_page.mjs";

const open = (hash, more) => sample.open(hash, more);

test("compare fits the width of a laptop with waiting, and filters what moved", async () => {
  const page = await open("tab=compare", { width: 1280, height: 800 });
  assert.ok((await page.locator(".compare td .small", { hasText: "waiting" }).count()) > 0);
  const widths = await page.evaluate(() => {
    const box = document.querySelector(".compare .scroll");
    return [box.scrollWidth, box.clientWidth];
  });
  assert.ok(widths[0] <= widths[1], widths.join(" of "));
  const moved = page.locator('[data-filter="moved"]');
  assert.match(await moved.innerText(), /moved [1-9]/);
  await moved.click();
  assert.equal(await moved.getAttribute("aria-pressed"), "true");
  const rows = page.locator(".compare tbody tr");
  assert.ok((await rows.count()) > 0);
  for (const text of await rows.allInnerTexts()) assert.match(text, /simd[^]*parallel/);
  assert.match(await page.locator(".compare h3").innerText(), /measured, means/);
});

test("times name their statistic, and waiting is drawn apart", async () => {
  const page = await open("tab=overview");
  assert.match(await page.locator(".overview").innerText(), /measured, mean of \d+ calls?/);
  const time = page.locator(".share-row", { hasText: "time" });
  assert.match(await time.innerText(), /measured, mean of \d+ calls?/);
  assert.equal(await page.locator(".share-row", { hasText: "nodes" }).locator(".waiting").count(), 0);
  // The nodes add up to the call.
  const sums = await page.evaluate(() => {
    const { app } = globalThis.inferViz;
    const calls = app.program.calls(app.regime);
    const nodes = app.regime.nodes.reduce((sum, node) => sum + app.program.cost(app.regime, node), 0);
    return [nodes, calls.wall_ns / calls.calls];
  });
  assert.ok(sums[0] <= sums[1] && sums[0] > 0.5 * sums[1], sums.join(" of "));
  // The threads of the second program wait for each other.
  await page.locator(".segmented[aria-label=Program] button").nth(1).click();
  await page.locator(".share-row", { hasText: "time" }).locator(".part.waiting").waitFor();
});

test("what-if moves nodes with a threshold or the chosen one alone, takes both back, and says why nothing slides", async () => {
  const page = await open("tab=what-if");
  const would = () => page.locator(".what-if .card strong").first().innerText();
  assert.equal(await would(), "0 nodes");
  await page.fill('[data-id="threshold 0 rows min"]', "1");
  await page.press('[data-id="threshold 0 rows min"]', "Enter");
  assert.notEqual(await would(), "0 nodes");
  assert.ok((await page.locator(".moved tbody tr").count()) > 0);
  await page.click("text=Reset");
  assert.equal(await would(), "0 nodes");
  // The chosen node alone.
  await page.click("#tab-graph");
  await page.fill(".search", "layer:0 down_proj");
  await page.press(".search", "Enter");
  await page.click("#tab-what-if");
  await page.locator("[data-move=scalar]").click();
  assert.equal(await would(), "1 node");
  assert.match(await page.locator(".moves code").innerText(), /--place 'name=layer\.0\/ffn\/down_proj=scalar'/);
  await page.click(".moves button");
  assert.equal(await would(), "0 nodes");
  // A policy that has nothing to slide.
  await page.locator(".segmented[aria-label=Program] button").nth(1).click();
  assert.match(await page.locator(".controls").innerText(), /Policy parallel has no thresholds/);
  assert.match(await page.locator(".controls").innerText(), /takes every node to the first of parallel/);
});

test("the timeline names its calls, is as wide as the panel leaves it, and opens a trace", async () => {
  const page = await open("tab=timeline");
  const shown = await page.locator('select[aria-label="Calls"] option').allInnerTexts();
  for (const text of shown) assert.match(text, /: 1 call, \d|mean \d.*, shortest \d/);
  assert.match(await page.locator(".timeline h3").innerText(), /\((the only call|the shortest of \d+ calls)\)/);
  const plot = page.locator(".timeline .plot");
  const width = () => plot.evaluate((canvas) => canvas.getBoundingClientRect().width);
  const before = await width();
  await page.locator(".timeline tbody button").first().click();
  await page.waitForFunction((w) => document.querySelector(".timeline .plot").getBoundingClientRect().width < w, before);
  await page.keyboard.press("Escape");
  await page.waitForFunction((w) => document.querySelector(".timeline .plot").getBoundingClientRect().width === w, before);
  // A lane for each thread, in the profile and in a trace.
  assert.match(await plot.getAttribute("aria-label"), /^2 lanes/);
  await page.setInputFiles(".file", sample.work.path("a.json"));
  await page.waitForFunction(() => /slices of \d+ calls/.test(document.querySelector(".timeline").innerText));
  assert.match(await plot.getAttribute("aria-label"), /^2 lanes/);
  assert.deepEqual(page.said, []);
});

test("the timeline is coloured by op where all nodes have one target", async () => {
  const page = await open("tab=timeline&p=1");
  assert.equal(await page.locator(".timeline select[aria-label='Colour by']").inputValue(), "op");
  assert.match(await page.locator(".timeline .legend").innerText(), /attention[^]*waiting/);
});

test("the memory view marks the peak, counts what works in place, and its total is that of a dry run", async () => {
  const page = await open("tab=memory");
  assert.match(await page.locator(".memory .plot").getAttribute("aria-label"), /peak .* at step \d+/);
  assert.match(await page.locator(".memory").innerText(), /Alive at the peak/);
  const { peak, least } = await page.evaluate(() => {
    const { page, app } = globalThis.inferViz;
    const { content } = page.views.get("memory");
    return { peak: content.live[content.peak], least: app.regime.arena_lower_bound_bytes };
  });
  assert.equal(peak, least);
  const dry = sample.work.run("infer-compile", "-m", "m.gguf", "--policy", "three.textproto", "--dry-run").toString();
  const total = /total +([\d.]+ MiB)/.exec(dry)[1];
  assert.equal(await page.locator(".run-memory .sum td.num").innerText(), total);
  await page.fill('[data-id="memory context"]', "1");
  await page.press('[data-id="memory context"]', "Enter");
  assert.match(await page.locator(".run-memory").innerText(), /KV cache of 1 positions/);
  assert.notEqual(await page.locator(".run-memory .sum td.num").innerText(), total);
});

test("a pass shows its text before and after", async () => {
  const page = await open("tab=passes");
  await page.click("text=fuse-swiglu");
  assert.ok((await page.locator(".diff .gone").count()) > 0);
  assert.match(await page.locator(".diff .new").first().innerText(), /swiglu/);
});

test("the table sorts, groups and saves CSV", async () => {
  const page = await open("tab=table");
  const first = () => page.locator(".table-view tbody tr").first().innerText();
  const before = await first();
  await page.click(".table-view th >> text=estimate");
  await page.click(".table-view th >> text=estimate");
  assert.notEqual(await first(), before);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Save CSV")]);
  await download.saveAs(sample.work.path("nodes.csv"));
  assert.match(sample.work.read("nodes.csv").toString(), /^step,name,op,target/);
  await page.selectOption(".table-view select", "op");
  assert.match(await page.locator(".table-view .hits").innerText(), /rows/);
});

test("the report is Markdown, and can leave out file names", async () => {
  const page = await open("");
  assert.equal(await page.locator(".emulated").isVisible(), false);
  const [whole, bare] = await page.evaluate(async () => {
    const texts = [];
    navigator.clipboard.writeText = async (text) => {
      texts.push(text);
    };
    const button = [...document.querySelectorAll(".overview button")].find((b) => b.textContent === "Copy as Markdown");
    button.click();
    document.getElementById("redact").checked = true;
    button.click();
    while (texts.length < 2) await new Promise((done) => setTimeout(done));
    return texts;
  });
  assert.match(whole, /^### m\.gguf, policy three/);
  assert.match(whole, /\| T 1/);
  assert.ok(!bare.includes("m.gguf"));
  assert.doesNotMatch(whole, /emulated/);
});

test("times of an emulated device are told from those of a GPU, on every tab and in the report", async () => {
  const html = readFileSync(sample.file, "utf8");
  const data = /(id="infer-data">)([^<]*)/;
  const json = JSON.parse(inflateRawSync(Buffer.from(data.exec(html)[2].trim(), "base64")));
  json.programs[0].profile.emulated = true;
  const packed = deflateRawSync(JSON.stringify(json)).toString("base64");
  sample.work.write("emulated.html", html.replace(data, (_, tag) => tag + packed));
  const page = await openPage(sample.work.path("emulated.html"), { hash: "tab=timeline" });
  assert.match(await page.locator(".emulated").innerText(), /of a\.pb was taken on an emulated device.*nothing about a GPU/);
  await page.click("#tab-overview");
  assert.match(await page.locator(".cards").innerText(), /emulated device, not a GPU/);
  assert.match(await copyReport(page), /emulated device/);
});

test("without scripts there are a table and a drawing", async () => {
  const page = await open("", { scripts: false });
  assert.match(await page.locator("table").first().innerText(), /layer\.\*\/attn\/q_proj/);
  assert.ok((await page.locator("svg").count()) > 0);
});
