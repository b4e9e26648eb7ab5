// SPDX-License-Identifier: Apache-2.0
// The what-if view and the compiler place every node alike and estimate the same call, for random thresholds.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, Workshop } from "./pages.mjs";

// Rule late takes no node as it stands; with other thresholds it puts whole ops on a target that runs them in parts.
const POLICY = `name: "thresholds"
composites: KEEP
rule { name: "wide" op: "linear" min_rows: 8 min_columns: 100 targets: [METAL, PARALLEL, SIMD, SCALAR] }
rule { name: "heavy" min_flops: 400000 targets: [PARALLEL, SIMD, SCALAR] }
rule { name: "late" phase: PREFILL min_layer: 2 max_elements: 0 targets: [SCALAR] }
rule { name: "stored" min_weight_bytes: 7000 max_rows: 40 targets: [SIMD, SCALAR] }
rule { name: "deep" min_inner: 65 max_tokens: 100 targets: [METAL, PARALLEL, SCALAR] }
rule { name: "rest" targets: [SIMD, SCALAR] }
`;

// For a machine whose kernels have row limits, and which this build has no kernels for. As it stands every node is whole,
// on the cpu; with other thresholds what the GPU runs whole, in parts or not at all changes with the rows.
const LIMITED = `name: "limited"
composites: KEEP
rule { name: "norms" op: "rms_norm" min_rows: 600 targets: [METAL, SCALAR] }
rule { name: "wide" op: "linear" min_rows: 600 targets: [METAL, SIMD, PARALLEL] }
rule { name: "heavy" min_flops: 1000000000000 targets: [METAL, PARALLEL] }
rule { name: "rest" targets: [SIMD, PARALLEL, SCALAR] }
`;

const work = new Workshop();
const browser = new Browser();
const here = (...files) => work.compile(...files);
const elsewhere = (...files) => work.compileElsewhere(...files);
before(async () => {
  work.model("m.gguf", 4);
  work.write("p.textproto", POLICY);
  work.compile("m.gguf", "m.pb", "p.textproto");
  work.compile("m.gguf", "t.pb", "tutorial");
  work.run("infer-viz", "m.pb", "-o", "m.html");
  work.run("infer-viz", "t.pb", "-o", "t.html");
  work.write("l.textproto", LIMITED);
  elsewhere("m.gguf", "l.pb", "l.textproto");
  work.run("infer-viz", "l.pb", "-o", "l.html");
  await browser.start();
});
after(async () => {
  await browser.close();
  work.close();
});

let seed = 2026;
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
// From 1 to `most`, as many small ones as large.
const threshold = (most) => Math.max(1, Math.round(Math.exp(random() * Math.log(most))));

const MOST = {
  rows: 600,
  columns: 600,
  inner: 200,
  elements: 60000,
  flops: 2e7,
  weight_bytes: 40000,
  tokens: 600,
  layer: 4,
};

async function agree(file, sets, compile = here) {
  const page = await browser.open(work.path(file), { hash: "tab=what-if" });
  const fields = await page.$$eval("[data-id^=threshold]", (inputs) =>
    inputs.map((input) => input.dataset.id.split(" ").slice(1)),
  );
  assert.ok(fields.length > 0);
  const moves = [];
  for (let i = 0; moves.length < sets; ++i) {
    assert.ok(i < 3 * sets, "the compiler refuses most sets");
    for (const [rule, field, end] of fields) {
      await page.fill(`[data-id="threshold ${rule} ${field} ${end}"]`, String(threshold(MOST[field])));
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

const seen = new Set(); // kernels

// Whole nodes by id. Where the page says that a target runs a node in parts, all nodes of its scopes are there.
function compareNodes(predicted, compiled, regime, where) {
  const records = regime.nodes.map((node) => ({
    node: compiled.nodes[node.node],
    record: compiled.records[node.record],
  }));
  const text = ({ target, rule }) => `${target} by ${rule}`;
  const exact = ({ kernel, ...rest }) => `${kernel} on ${text(rest)}`;
  for (const { kernel } of predicted) seen.add(kernel);
  const whole = (list) => new Map(list.sort(([a], [b]) => (a < b ? -1 : 1)));
  const isPart = ({ record }) => record.source === "legalize";
  assert.deepEqual(
    whole(predicted.filter((p) => p.kernel !== "in parts").map((p) => [p.id, exact(p)])),
    whole(records.filter((r) => !isPart(r)).map(({ node, record }) => [node.id, exact(record)])),
    where,
  );
  const parts = new Map(
    predicted.filter((p) => p.kernel === "in parts").flatMap((p) => p.scopes.map((scope) => [scope, text(p)])),
  );
  for (const { node, record } of records.filter(isPart))
    assert.equal(parts.get(node.scope), text(record), `${where}, ${node.scope}`);
}

const compared = []; // device boundaries of calls

// The page asks about a full cache, as the upper ends of a regime do; between the T of its estimates it interpolates, and
// of nodes in parts it knows the whole. Nodes are rounded to nanoseconds, each.
function compareCalls(predicted, compiled, regime, tokens, will, where) {
  if (predicted.some((p) => p.kernel === "in parts")) return;
  assert.equal(will.boundaries, regime.device_boundaries, where);
  if (tokens !== regime.tokens[1] || !compiled.estimate_tokens.includes(tokens)) return;
  const off = Math.abs(will.ns - regime.estimate_ns[1]);
  assert.ok(off <= 1 + regime.nodes.length / 2, `${where}: ${will.ns} ns, the compiler says ${regime.estimate_ns[1]}`);
  compared.push(will.boundaries);
}

test("20 random sets of thresholds of whole operations", () => agree("m.html", 20));
test("5 random sets of the tutorial's thresholds", () => agree("t.html", 5));
test("20 random sets where kernels have row limits, on a machine without these kernels", async () => {
  const [{ kernels }] = JSON.parse(work.run("infer-viz", "l.pb", "--format", "json")).programs;
  assert.ok(kernels.filter(({ rows }) => rows[0] > 1 || rows[1] !== null).length >= 8);
  seen.clear();
  compared.length = 0;
  await agree("l.html", 20, elsewhere);
  for (const kernel of ["linear_add_few_metal", "linear_add_many_metal", "rms_norm_metal", "in parts"]) {
    assert.ok(seen.has(kernel), `no set made use of ${kernel}`);
  }
  const crossing = compared.filter((boundaries) => boundaries > 0).length;
  assert.ok(crossing >= 5, `${crossing} of ${compared.length} calls that were compared are on two devices`);
});
