// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { readTrace } from "../../../tools/viz/page/src/trace.js";
import { chromeJson, perfettoTrace } from "../../../tools/viz/page/src/trace_file.js";

const node = { id: "00000000000000ab", name: "layer.0/attn/q_proj+k_proj" };
const content = {
  lanes: ["thread 0", "thread 1"],
  slices: [
    { lane: 0, start: 0, ns: 1000, node },
    { lane: 0, start: 1000, ns: 300.4, node, wait: true },
    { lane: 1, start: 0, ns: 0, node },
    { lane: 1, start: 2 ** 33, ns: 5, text: "other" },
  ],
};

test("Chrome JSON comes back as the same slices", () => {
  const regime = { nodes: [node], byId: new Map([[node.id, 0]]) };
  const { lanes, slices } = readTrace(JSON.parse(chromeJson(content)), regime);
  assert.deepEqual(lanes, content.lanes);
  assert.deepEqual(
    slices.slice(0, 2).map(({ lane, start, wait }) => [lane, start, wait]),
    [
      [0, 0, false],
      [0, 1000, true],
    ],
  );
  assert.equal(slices[0].node, node);
});

// {field: [value]}: numbers of varints, bytes of the rest.
function decode(bytes) {
  const fields = {};
  let at = 0;
  const varint = () => {
    let [value, shift] = [0n, 0n];
    for (let more = true; more; shift += 7n) {
      more = bytes[at] > 127;
      value |= BigInt(bytes[at++] & 127) << shift;
    }
    return Number(value);
  };
  while (at < bytes.length) {
    const tag = varint();
    let value = varint();
    if (tag % 8 === 2) {
      value = bytes.subarray(at, at + value);
      at += value.length;
    } else assert.equal(tag % 8, 0);
    (fields[tag >> 3] ??= []).push(value);
  }
  return fields;
}
const text = (bytes) => new TextDecoder().decode(bytes);

test("a Perfetto trace has a track for each lane and a begin and an end for each slice that takes time", () => {
  const packets = decode(perfettoTrace(content))[1].map(decode);
  const tracks = packets.filter((p) => p[60]).map((p) => decode(p[60][0]));
  assert.deepEqual(
    tracks.map((track) => [track[1][0], text(track[2][0])]),
    [
      [1, "thread 0"],
      [2, "thread 1"],
    ],
  );
  const events = packets
    .filter((p) => p[11])
    .map((p) => ({ at: p[8][0], ...decode(p[11][0]), sequence: p[10][0] }))
    .map((e) => [e.at, e[9][0], e[11][0], e[23] ? text(e[23][0]) : "", e.sequence]);
  assert.deepEqual(events, [
    [0, 1, 1, node.name, 1],
    [1000, 2, 1, "", 1],
    [1000, 1, 1, "wait", 1],
    [1300, 2, 1, "", 1],
    [2 ** 33, 1, 2, "other", 1],
    [2 ** 33 + 5, 2, 2, "", 1],
  ]);
});
