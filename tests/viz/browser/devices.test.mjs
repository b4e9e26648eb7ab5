// SPDX-License-Identifier: Apache-2.0
// Programs that run on two devices, in one memory and in two.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Workshop, copyReport, closeBrowser, openPage } from "./pages.mjs";

// Projections and norms on the GPU, attention on the cpu.
const POLICY = `name: "two-devices"
composites: KEEP
rule { name: "gpu" op: "linear" min_rows: 8 targets: [METAL, PARALLEL, SIMD, SCALAR] }
rule { name: "rest" targets: [SIMD, PARALLEL, SCALAR] }
`;

const work = new Workshop();
const MAKE = {
  shared() {
    work.model("m.gguf", 4);
    work.write("p.textproto", POLICY);
    work.compileElsewhere("m.gguf", "shared.pb", "p.textproto");
  },
  copies: () => work.run("compile_elsewhere", "--copies", "copies.pb"),
};
const made = new Set();
after(async () => {
  await closeBrowser();
  work.close();
});

function open(name, hash) {
  if (!made.has(name)) {
    MAKE[name]();
    work.run("infer-viz", `${name}.pb`, "-o", `${name}.html`);
    made.add(name);
  }
  return openPage(work.path(`${name}.html`), { hash });
}

test("copies between two memories are edges with bytes, and counted", async () => {
  const page = await open("copies", "tab=graph");
  await page.click("text=Unfold one layer");
  assert.ok((await page.locator(".box.t-metal").count()) > 0);
  assert.ok((await page.locator(".link .edge.devices:not(.shared)").count()) >= 2);
  assert.equal(await page.locator(".link .edge.shared").count(), 0);
  assert.match(await page.locator(".bytes.devices").first().textContent(), /^1(\.0*)? KiB$/);
  assert.match(await page.locator(".legend").innerText(), /copied to another device/);
  await page.click("#tab-overview");
  assert.match(await copyReport(page), /cpu \u2192 metal 1 time: 1 copy, 256 B \u2013 1 KiB/);
  assert.deepEqual(page.said, []);
});

test("a Program without kernel choices shows all but what-if, and a memory for each device", async () => {
  const page = await open("copies", "");
  for (const tab of ["overview", "graph", "timeline", "passes", "table", "memory", "what-if"]) {
    await page.click(`#tab-${tab}`);
    const text = await page.locator("main .view").innerText();
    assert.ok(text.length > 10, tab);
    if (tab === "memory") assert.match(text, /metal/);
  }
  assert.match(await page.locator(".what-if").innerText(), /Compile it again/);
  assert.deepEqual(page.said, []);
});

test("what-if shows the estimate of the call that the table of regimes shows", async () => {
  const page = await open("shared", "tab=what-if");
  await page.fill('[data-id="tokens"]', "1");
  await page.press('[data-id="tokens"]', "Enter");
  await page.fill('[data-id="context"]', "1");
  await page.press('[data-id="context"]', "Enter");
  const texts = async () => Object.fromEntries(
    await page.$$eval(".what-if .card", (cards) =>
      cards.map((c) => [c.firstChild.textContent, [c.querySelector("strong").textContent, c.textContent]]),
    ),
  );
  const before = await texts();
  const [{ regimes }] = JSON.parse(work.run("infer-viz", "shared.pb", "--format", "json")).programs;
  const ns = await page.evaluate(() => globalThis.inferViz.page.view.found.was.ns);
  assert.ok(Math.abs(ns - regimes[0].estimate_ns[0]) <= 1 + regimes[0].nodes.length / 2);
  assert.equal(before["as compiled"][0], before["estimate of a call"][0]);
  assert.equal(before["device boundaries"], undefined); // all is on one device
  // Single rows on the GPU: the nodes move, and every one is woken for.
  await page.fill('[data-id="threshold 0 rows min"]', "1");
  await page.press('[data-id="threshold 0 rows min"]', "Enter");
  const then = await texts();
  assert.notEqual(then["device boundaries"][0], "0");
  assert.match(then["device boundaries"][1], /0 as compiled/);
  assert.match(then["change"][0], /^\+/);
  assert.equal(then["as compiled"][0], before["as compiled"][0]);
});

test("a device that works in the cpu's memory is a boundary without a copy", async () => {
  const page = await open("shared", "tab=graph");
  await page.locator(".segmented[aria-label=Regime] button").nth(1).click();
  await page.click("text=Unfold one layer");
  assert.ok((await page.locator(".link .edge.devices.shared").count()) >= 2);
  assert.equal(await page.locator(".link .edge.devices:not(.shared)").count(), 0);
  assert.match(await page.locator(".bytes.devices").first().textContent(), /iB shared$/);
  assert.match(await page.locator(".legend").innerText(), /other device, same memory/);
  await page.fill(".search", "target:metal");
  await page.press(".search", "Enter");
  assert.match(await page.locator(".panel").innerText(), /\d+ of \d+, on metal, in the memory of cpu/);
  await page.click("#tab-overview");
  assert.match(await copyReport(page), /metal \u2192 cpu \d+ times: .* in shared memory, nothing copied/);
  assert.deepEqual(page.said, []);
});
