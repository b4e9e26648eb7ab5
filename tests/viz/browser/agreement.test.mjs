// SPDX-License-Identifier: Apache-2.0
// The what-if view and the compiler place every node alike and estimate the same call, for random thresholds.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { compareCalls, compared, compareNodes, LIMITED, POLICY, randomThreshold, seen } from "../agreement.mjs";
import { Workshop, closeBrowser, openPage } from "./pages.mjs";

const work = new Workshop();
const here = (...files) => work.compile(...files);
const elsewhere = (...files) => work.compileElsewhere(...files);
before(() => {
  work.model("m.gguf", 4);
  work.write("p.textproto", POLICY);
  work.compile("m.gguf", "m.pb", "p.textproto");
  work.compile("m.gguf", "t.pb", "tutorial");
  work.run("infer-viz", "m.pb", "-o", "m.html");
  work.run("infer-viz", "t.pb", "-o", "t.html");
  work.write("l.textproto", LIMITED);
  elsewhere("m.gguf", "l.pb", "l.textproto");
  work.run("infer-viz", "l.pb", "-o", "l.html");
});
after(async () => {
  await closeBrowser();
  work.close();
});

async function agree(file, sets, compile = here) {
  const page = await openPage(work.path(file), { hash: "tab=what-if" });
  const fields = await page.$$eval("[data-id^=threshold]", (inputs) =>
    inputs.map((input) => input.dataset.id.split(" ").slice(1)),
  );
  assert.ok(fields.length > 0);
  const moves = [];
  for (let i = 0; moves.length < sets; ++i) {
    assert.ok(i < 3 * sets, "the compiler refuses most sets");
    for (const [rule, field, end] of fields) {
      await page.fill(`[data-id="threshold ${rule} ${field} ${end}"]`, String(randomThreshold(field)));
      await page.press(`[data-id="threshold ${rule} ${field} ${end}"]`, "Enter");
    }
    const moved = await checkSet(page, file, i, compile);
    if (moved !== null) moves.push(moved);
  }
  assert.deepEqual(page.said, []);
  assert.ok(
    moves.some((moved) => moved > 0),
    "no threshold moved a node",
  );
}

// The page's own policy file, compiled; and every node of every regime that comes out. null: too many regimes.
async function checkSet(page, file, i, compile) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Save policy")]);
  await download.saveAs(work.path("changed.textproto"));
  try {
    compile("m.gguf", "changed.pb", "changed.textproto");
  } catch (error) {
    assert.match(String(error.stderr), /regimes, more than/, `set ${i}: ${error.stderr}`);
    return null;
  }
  work.run("infer-viz", "changed.pb", "--format", "json", "-o", "changed.json");
  const [compiled] = JSON.parse(work.read("changed.json")).programs;
  const cuts = await page.evaluate(() => {
    const card = [...document.querySelectorAll(".what-if .card")].find((c) => c.firstChild.textContent === "regimes");
    return Number(card.querySelector("strong").textContent);
  });
  // The compiler may cut once more: it also asks about ops that it takes apart later.
  assert.ok(cuts <= compiled.regimes.length, `set ${i}: ${cuts} regimes, the compiler has ${compiled.regimes.length}`);
  let moved = 0;
  for (const regime of compiled.regimes) {
    for (const tokens of new Set(regime.tokens)) {
      await page.fill('[data-id="tokens"]', String(tokens));
      await page.press('[data-id="tokens"]', "Enter");
      const [predicted, count, will] = await page.evaluate(() => {
        const { placed, found } = globalThis.inferViz.page.view;
        const strong = document.querySelector(".what-if .card strong").textContent;
        const list = placed.regime.nodes.map((node, n) => ({
          id: node.id,
          scopes: [node.scope, ...(node.merged ?? [])],
          ...placed.placed[n],
        }));
        return [list, parseInt(strong, 10), found.will];
      });
      compareNodes(predicted, compiled, regime, `${file}, set ${i}, T = ${tokens}`);
      compareCalls(predicted, compiled, regime, tokens, will, `${file}, set ${i}, T = ${tokens}`);
      moved += count;
    }
  }
  return moved;
}

test("20 random sets of thresholds of whole operations", () => agree("m.html", 20));
test("5 random sets of the tutorial's thresholds", () => agree("t.html", 5));
test("20 random sets where kernels have row limits, on a machine without these kernels", async () => {
  const [{ kernels }] = JSON.parse(work.run("infer-viz", "l.pb", "--format", "json")).programs;
  assert.ok(kernels.filter(({ rows }) => rows[0] > 1 || rows[1] !== null).length >= 8);
  seen.clear();
  compared.length = 0;
  await agree("l.html", 20, elsewhere);
  for (const kernel of ["swiglu_few_metal", "swiglu_many_metal", "rms_norm_metal", "in parts"]) {
    assert.ok(seen.has(kernel), `no set made use of ${kernel}`);
  }
  const crossing = compared.filter((boundaries) => boundaries > 0).length;
  assert.ok(crossing >= 5, `${crossing} of ${compared.length} calls that were compared are on two devices`);
});
