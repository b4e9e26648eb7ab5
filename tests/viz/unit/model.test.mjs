// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { nameInFolder, nameInLayer } from "../../../tools/viz/page/src/model.js";

const cases = [
  ["embed", "embed", "embed", "embed"],
  ["layer.3/attn/q_proj+k_proj", "layer.3/attn/q_proj", "attn/q_proj+k_proj", "q_proj+k_proj"],
  ["layer.3/attn/residual+ffn/norm", "layer.3/attn/residual", "attn/residual+ffn/norm", "residual+ffn/norm"],
  [
    "layer.3/ffn/residual+layer.4/attn/norm",
    "layer.3/ffn/residual",
    "ffn/residual+layer.*/attn/norm",
    "residual+layer.*/attn/norm",
  ],
];

test("a fused node is called by all its members, the same in every layer", () => {
  for (const [name, scope, inLayer, inFolder] of cases) {
    assert.equal(nameInLayer({ name, scope }), inLayer);
    assert.equal(nameInFolder({ name, scope }), inFolder);
  }
});
