// SPDX-License-Identifier: Apache-2.0
// The page's what-if against the compiler, without a page: for random thresholds, what the page's modules predict from a
// Program is what the compiler makes of the policy that the page would save. Needs node alone; browser/agreement.test.mjs
// does the same through the page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { compareCalls, compared, compareNodes, LIMITED, POLICY, randomThreshold, seen } from "./agreement.mjs";
import { Workshop } from "./workshop.mjs";
import { Program } from "../../tools/viz/page/src/model.js";
import { cutRegimes, placeAll, policyText, thresholdsOf } from "../../tools/viz/page/src/what_if.js";
import { consequences } from "../../tools/viz/page/src/what_if_consequences.js";

const BUNDLED = new URL("../../tools/assets/tiny-tales-q8_0.gguf", import.meta.url).pathname;
// The first is run in parts.
const OVERRIDES = ["--place", "name=layer.1/ffn/*=scalar", "--place", "op=linear,layer>=2=simd"];

const work = new Workshop();
before(() => {
  work.model("m.gguf", 4);
  work.write("thresholds.textproto", POLICY);
  work.write("limited.textproto", LIMITED);
});
after(() => work.close());

const here =
  (model, ...more) =>
  (out, policy) =>
    work.compile(model, out, policy, ...more);
const elsewhere = (model) => (out, policy) => work.compileElsewhere(model, out, policy);

// How many nodes the thresholds moved, over the ends of all regimes; null if the compiler would need too many regimes.
function checkSet(program, thresholds, compile, where) {
  work.write("changed.textproto", policyText(program.policy, thresholds));
  try {
    compile("changed.pb", "changed.textproto");
  } catch (error) {
    assert.match(String(error.stderr), /regimes, more than/, `${where}: ${error.stderr}`);
    return null;
  }
  const compiled = work.document("changed.pb");
  // The compiler may cut once more: it also asks about ops that it takes apart later.
  const cuts = cutRegimes(program, thresholds).length;
  assert.ok(cuts <= compiled.regimes.length, `${where}: ${cuts} regimes, the compiler has ${compiled.regimes.length}`);
  let moved = 0;
  for (const regime of compiled.regimes) {
    for (const tokens of new Set(regime.tokens)) {
      const before = program.regimeAt(tokens);
      const placed = placeAll(program, thresholds, tokens);
      const found = consequences(program, before, placed, tokens, program.symbols.S[1]);
      const predicted = before.nodes.map((node, n) => ({
        id: node.id,
        scopes: [node.scope, ...(node.merged ?? [])],
        part: program.records[node.record].source === "legalize",
        ...placed[n],
      }));
      compareNodes(predicted, compiled, regime, `${where}, T = ${tokens}`);
      compareCalls(predicted, compiled, regime, tokens, found.will, `${where}, T = ${tokens}`);
      moved += found.rows.reduce((sum, row) => sum + row.count, 0);
    }
  }
  return moved;
}

// Tries as many sets, and more until `enough` says so.
function agree(policy, compile, sets, enough = () => true) {
  compile("as_written.pb", policy);
  const program = new Program(work.document("as_written.pb"));
  const fields = thresholdsOf(program.policy);
  assert.ok(fields.length > 0, "the policy has no threshold");
  const moves = [];
  for (let i = 0; moves.length < sets || !enough(); ++i) {
    assert.ok(i < 4 * sets, "the compiler refuses most sets, or what the sets should show is rare");
    const thresholds = Object.fromEntries(fields.map(({ key, field }) => [key, randomThreshold(field)]));
    const moved = checkSet(program, thresholds, compile, `${policy}, set ${i}`);
    if (moved !== null) moves.push(moved);
  }
  assert.ok(
    moves.some((moved) => moved > 0),
    "no threshold moved a node",
  );
}

test("whole operations", () => agree("thresholds.textproto", here("m.gguf"), 6));
test("whole operations, some of them placed by overrides", () =>
  agree("thresholds.textproto", here("m.gguf", ...OVERRIDES), 5));
test("the tutorial's thresholds", () => agree("tutorial", here("m.gguf"), 3));
test("the bundled model by rules with every kind of threshold", () => agree("thresholds.textproto", here(BUNDLED), 5));
test("kernels with row limits, on a machine that this build has no kernels for", () => {
  seen.clear();
  compared.length = 0;
  const crossing = () => compared.filter((boundaries) => boundaries > 0).length;
  agree("limited.textproto", elsewhere("m.gguf"), 14, () => crossing() >= 5);
  for (const kernel of ["swiglu_few_metal", "swiglu_many_metal", "rms_norm_metal", "in parts"]) {
    assert.ok(seen.has(kernel), `no set made use of ${kernel}`);
  }
});
