// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Program } from "../../../tools/viz/page/src/model.js";
import { flagOf, movableTo, Moves } from "../../../tools/viz/page/src/moves.js";
import { placeAll } from "../../../tools/viz/page/src/what_if.js";
import { consequences } from "../../../tools/viz/page/src/what_if_consequences.js";
import { Workshop } from "../workshop.mjs";

const work = new Workshop();
after(() => work.close());
work.model("m.gguf", 3);
work.compile("m.gguf", "p.pb", "simd");
const program = new Program(work.document("p.pb"));

const node = (name) => program.regimes[0].nodes.find((n) => n.name === name);
const compileWith = (flag) => {
  const place = /--place '(.*)'/.exec(flag)[1];
  work.compile("m.gguf", "moved.pb", "simd", "--place", place);
  return new Program(work.document("moved.pb"));
};
const targetsOf = (p) => p.regimes[0].nodes.map((n) => p.record(n).target);

test("a node moves alone, and the flag does the same to the compiler", () => {
  const chosen = node("layer.1/ffn/down_proj");
  assert.ok(movableTo(program, chosen).includes("scalar"));
  const moves = new Moves(program);
  moves.add(chosen, "scalar", false);
  const regime = program.regimes[0];
  const placed = placeAll(program, {}, 1, moves.targets(regime));
  const { rows, will, was } = consequences(program, regime, placed, 1, 1);
  assert.deepEqual(
    rows.map(({ layers, from, to, count }) => [layers, from, to, count]),
    [[[1], "simd", "scalar", 1]],
  );
  assert.notEqual(will.ns, was.ns);
  assert.deepEqual(
    targetsOf(compileWith(moves.flags()[0])),
    placed.map((p) => p.target),
  );
});

test("the same node of every layer moves with it if asked", () => {
  const moves = new Moves(program);
  moves.add(node("layer.1/ffn/down_proj"), "scalar", true);
  const placed = placeAll(program, {}, 1, moves.targets(program.regimes[0]));
  const moved = program.regimes[0].nodes.filter((_, n) => placed[n].target === "scalar");
  assert.ok(moved.length >= 1 && moved.every((n) => n.name.endsWith("/ffn/down_proj")));
  assert.deepEqual(
    targetsOf(compileWith(moves.flags()[0])),
    placed.map((p) => p.target),
  );
});

test("the last move of a node counts, and a move can be taken back", () => {
  const moves = new Moves(program);
  const chosen = node("output/logits");
  moves.add(chosen, "scalar", false);
  moves.add(chosen, "parallel", false);
  assert.deepEqual([...moves.targets(program.regimes[0])], [[chosen.id, "parallel"]]);
  assert.match(flagOf(program, chosen, "parallel", false), /name=output\/logits.*=parallel/);
  moves.remove(moves.list[0]);
  assert.equal(moves.targets(program.regimes[0]).size, 0);
});
