// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { emulatedText } from "../../../tools/viz/page/src/emulated.js";

const real = { name: "a.pb", profile: {} };
const emulated = { name: "b.pb", profile: { emulated: true } };

test("times of an emulated device are told from those of a real one", () => {
  assert.equal(emulatedText([real, { name: "c.pb" }]), "");
  assert.match(emulatedText([emulated]), /^The profile was taken on an emulated device: .* say nothing about a GPU/);
  assert.match(emulatedText([real, emulated]), /^The profile of b\.pb was/);
});
