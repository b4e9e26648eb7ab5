// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkKernelChoices, limitsOf, KernelChoices, rowsHold, supportOn } from "../../../tools/viz/page/src/kernel_choices.js";

// Kernel choice 2 is a composite op of 0 and 1, with a kernel of its own on metal for 8 to 64 rows.
const program = () => ({
  symbols: { T: [1, 512], R: [1, 16], S: [1, 4096] },
  kernels: [
    { name: "small", op: "add", target: "simd", rows: [1, 4] },
    { name: "large", op: "add", target: "simd", rows: [5, null] },
    { name: "part", op: "mul", target: "metal", rows: [2, null] },
    { name: "added", op: "add", target: "metal", rows: [1, 100] },
    { name: "whole", op: "both", target: "metal", rows: [8, 64] },
  ],
  kernel_choices: [
    { rows: "T", kernels: [0, 1, 3] },
    { rows: "R", kernels: [2] },
    { rows: "T", kernels: [4], parts: [0, 1] },
    { rows: 7, kernels: [0, 1] },
    { rows: "S", kernels: [0, 1] },
  ],
});

const on = (target, o, tokens) => new KernelChoices(program(), tokens).kernelOn(target, o);

test("the first kernel that takes the rows", () => {
  assert.equal(on("simd", 0, 4), "small");
  assert.equal(on("simd", 0, 5), "large");
  assert.equal(on("scalar", 0, 5), null);
  assert.equal(on("simd", 3, 1), "large");
});

test("R goes from its lower end up to T, S through its whole range", () => {
  assert.equal(on("metal", 1, 8), null);
  assert.equal(on("simd", 4, 8), null);
});

test("whole where the rows allow it, in parts where all parts run", () => {
  const p = program();
  p.symbols.R = [2, 16];
  const at = (tokens) => new KernelChoices(p, tokens).kernelOn("metal", 2);
  assert.equal(at(8), "whole");
  assert.equal(at(7), "in parts");
  assert.equal(at(65), "in parts");
  assert.equal(at(101), null);
  assert.equal(new KernelChoices(p, 8).kernelOn("simd", 2), null);
});

test("limits are those of the parts too, each once", () => {
  const p = program();
  const limits = limitsOf(p, 2).map(([, limit, isLeast]) => [limit, isLeast]);
  assert.deepEqual(
    limits.sort(([a], [b]) => a - b),
    [
      [2, true],
      [4, false],
      [5, true],
      [8, true],
      [64, false],
      [100, false],
    ],
  );
  assert.equal(rowsHold(p, [p.kernel_choices[0], 5, true], 4), false);
  assert.equal(rowsHold(p, [p.kernel_choices[0], 5, true], 5), true);
});

test("support whatever the rows", () => {
  assert.equal(supportOn(program(), "metal", 2), "whole");
  assert.equal(supportOn(program(), "simd", 2), null);
  assert.equal(supportOn(program(), "scalar", 0), null);
});

test("parts that share parts are asked about once", () => {
  const p = program();
  p.kernel_choices = [{ rows: 1, kernels: [] }];
  for (let i = 0; i < 60; ++i) p.kernel_choices.push({ rows: 1, kernels: [], parts: [i, i] });
  p.kernel_choices[0].kernels = [0];
  assert.equal(new KernelChoices(p, 1).kernelOn("simd", 60), "in parts");
  assert.equal(supportOn(p, "simd", 60), "in parts");
  assert.equal(limitsOf(p, 60).length, 1);
});

test("a chain of 200,000 parts of parts does not fill the stack", () => {
  const p = program();
  p.kernel_choices = [{ rows: 1, kernels: [0] }];
  for (let i = 0; i < 200000; ++i) p.kernel_choices.push({ rows: 1, kernels: [], parts: [i] });
  const last = p.kernel_choices.length - 1;
  checkKernelChoices(p.kernel_choices);
  assert.equal(new KernelChoices(p, 1).kernelOn("simd", last), "in parts");
  assert.equal(new KernelChoices(p, 1).kernelOn("metal", last), null);
  assert.equal(supportOn(p, "simd", last), "in parts");
  assert.equal(limitsOf(p, last).length, 1);
});

test("parts that do not stand before their kernel choice are refused", () => {
  const of = (...parts) => [{ rows: 1, kernels: [] }, { rows: 1, kernels: [], parts }];
  checkKernelChoices(of(0));
  assert.throws(() => checkKernelChoices(of(0, 1)), /kernel choice 1 has part 1, which does not stand before it/);
  assert.throws(() => checkKernelChoices(of(-1)), /part -1/);
});
