// SPDX-License-Identifier: Apache-2.0
// What a call costs beyond its nodes, for any placement: the call itself, waking the devices and threads of its
// segments, and values that cross between devices. Must agree with passes/estimate.cc and passes/boundary_cost.cc;
// tests/viz compares them.
import { countAt } from "./what_if.js";

// Inputs and results of the graph are in its memory.
const HOST = "cpu";

// Cost of waking segments, which are cut where the device of the nodes changes. Nothing runs for views, so they wake
// nothing.
function wakes(program, regime, targets, deviceOf) {
  const cost = program.call_costs.wake_ns;
  let [ns, device, awake] = [0, null, false];
  regime.nodes.forEach((node, n) => {
    if (program.kind(node).view) return;
    if (device !== deviceOf(targets[n])) awake = false;
    device = deviceOf(targets[n]);
    if (awake || !cost[targets[n]]) return;
    awake = true;
    ns += cost[targets[n]];
  });
  return ns;
}

// A value crosses to a device once, however many nodes read it there.
function crossingsOf(program, regime, targets, deviceOf, at) {
  const { boundary_ns, copy_gb_s } = program.call_costs;
  let [ns, count] = [0, 0];
  let from = 0;
  for (const [step, bytes, isResult, ...readers] of regime.values ?? []) {
    from += step;
    const devices = new Set(readers.map((n) => deviceOf(targets[from + n])));
    if (isResult) devices.add(HOST);
    devices.delete(from < 0 ? HOST : deviceOf(targets[from]));
    count += devices.size;
    ns += devices.size * (boundary_ns + (copy_gb_s > 0 ? countAt(program.value_bytes[bytes], at) / copy_gb_s : 0));
  }
  return { ns, count };
}

// Returns {ns, boundaries: changes of device, crossings: values}; `targets` has one entry for each node of the regime.
export function callOverhead(program, regime, targets, at) {
  const devices = new Map(program.targets.map(({ name, device }) => [name, device]));
  const deviceOf = (target) => devices.get(target);
  let boundaries = 0;
  for (let n = 1; n < targets.length; ++n) boundaries += deviceOf(targets[n]) !== deviceOf(targets[n - 1]);
  if (!program.call_costs) return { ns: 0, boundaries, crossings: 0 };
  const crossed = crossingsOf(program, regime, targets, deviceOf, at);
  const ns = program.call_costs.call_ns + wakes(program, regime, targets, deviceOf) + crossed.ns;
  return { ns, boundaries, crossings: crossed.count };
}
