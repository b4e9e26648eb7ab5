// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { copyReport } from "./pages.mjs";
import { SamplePage } from "./sample_page.mjs";

const sample = new SamplePage();
before(() => sample.start());
after(() => sample.close());
const open = (hash, more) => sample.open(hash, more);

test("compare filters what moved", async () => {
  const page = await open("tab=compare");
  const moved = page.locator('[data-filter="moved"]');
  assert.match(await moved.innerText(), /moved [1-9]/);
  await moved.click();
  assert.equal(await moved.getAttribute("aria-pressed"), "true");
  const rows = page.locator(".compare tbody tr");
  assert.ok((await rows.count()) > 0);
  for (const text of await rows.allInnerTexts()) assert.match(text, /simd[^]*parallel/);
  assert.match(await page.locator(".compare h3").innerText(), /measured/);
});

test("what-if moves nodes with a threshold and back again", async () => {
  const page = await open("tab=what-if");
  const would = () => page.locator(".what-if .card strong").first().innerText();
  assert.equal(await would(), "0 nodes");
  await page.fill('[data-id="threshold 0 rows min"]', "1");
  await page.press('[data-id="threshold 0 rows min"]', "Enter");
  assert.notEqual(await would(), "0 nodes");
  assert.ok((await page.locator(".moved tbody tr").count()) > 0);
  await page.click("text=Reset");
  assert.equal(await would(), "0 nodes");
});

test("the timeline has a lane for each thread, and opens a trace", async () => {
  const page = await open("tab=timeline");
  assert.match(await page.locator(".timeline .plot").getAttribute("aria-label"), /^2 lanes/);
  await page.setInputFiles(".file", sample.work.path("a.json"));
  await page.waitForFunction(() => /slices of \d+ calls/.test(document.querySelector(".timeline").innerText));
  assert.match(await page.locator(".timeline .plot").getAttribute("aria-label"), /^2 lanes/);
  assert.deepEqual(page.said, []);
});

test("the memory view marks the peak", async () => {
  const page = await open("tab=memory");
  assert.match(await page.locator(".memory .plot").getAttribute("aria-label"), /peak .* at step \d+/);
  assert.match(await page.locator(".memory").innerText(), /Alive at the peak/);
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
  const [whole, bare] = await page.evaluate(async () => {
    const texts = [];
    navigator.clipboard.writeText = async (text) => {
      texts.push(text);
    };
    const button = [...document.querySelectorAll(".overview button")].find((b) => b.textContent === "Copy as Markdown");
    button.click();
    document.getElementById("redact").checked = true;
    button.click();
    await new Promise((done) => setTimeout(done, 50));
    return texts;
  });
  assert.match(whole, /^### m\.gguf, policy three/);
  assert.match(whole, /\| T 1/);
  assert.ok(!bare.includes("m.gguf"));
});

test("times of an emulated device are told from those of a GPU, on every tab and in the report", async () => {
  const html = sample.work.read("a.html").toString();
  const data = /(id="infer-data">)([^<]*)/;
  const json = JSON.parse(inflateRawSync(Buffer.from(data.exec(html)[2].trim(), "base64")));
  json.programs[0].profile.emulated = true;
  const packed = deflateRawSync(JSON.stringify(json)).toString("base64");
  sample.work.write("emulated.html", html.replace(data, (_, tag) => tag + packed));
  const page = await sample.browser.open(sample.work.path("emulated.html"), { hash: "tab=timeline" });
  assert.match(await page.locator(".emulated").innerText(), /of a\.pb was taken on an emulated device.*nothing about a GPU/);
  await page.click("#tab-overview");
  assert.match(await page.locator(".cards").innerText(), /emulated device, not a GPU/);
  assert.match(await copyReport(page), /emulated device/);
  const real = await open("tab=overview");
  assert.equal(await real.locator(".emulated").isVisible(), false);
  assert.doesNotMatch(await copyReport(real), /emulated/);
});

test("without scripts there are a table and a drawing", async () => {
  const page = await open("", { scripts: false });
  assert.match(await page.locator("table").first().innerText(), /layer\.\*\/attn\/q_proj/);
  assert.ok((await page.locator("svg").count()) > 0);
});
