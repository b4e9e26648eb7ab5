// SPDX-License-Identifier: Apache-2.0
// The document of infer-viz with the joins that views share. Nothing is guessed: what the document does not say is
// absent.
import * as format from "./format.js";
import { checkKernelChoices } from "./kernel_choices.js";
import { regimeOf } from "./what_if.js";

export class Program {
  constructor(data) {
    Object.assign(this, data);
    checkKernelChoices(this.kernel_choices ?? []);
    this.files = this.model.files.map((file) => file.name).join(", ");
    this.regimes.forEach((regime, r) => this.#index(regime, r));
    this.fold.groups.forEach((group, g) => {
      group.index = g;
    });
    this.hasEstimates = this.records.some((record) => record.estimate_ns);
  }

  #index(regime, r) {
    regime.index = r;
    regime.byId = new Map();
    regime.byKey = new Map();
    // A node as the regime runs it, together with what is the same in all regimes.
    regime.nodes = regime.nodes.map((run, index) => {
      const node = this.nodes[run.node];
      return { name: node.scope, ...node, ...run, index };
    });
    let number = 0;
    for (const { steps } of regime.segments ?? []) {
      for (const { node, mode, barrier } of steps) {
        if (node >= 0) Object.assign(regime.nodes[node], { step: number, mode, barrier });
        ++number;
      }
    }
    regime.nodes.forEach((node, n) => {
      regime.byId.set(node.id, n);
      regime.byKey.set(`${node.scope}|${this.kinds[node.kind].op}|${node.ordinal ?? 0}`, n);
    });
  }

  op(node) {
    return this.kinds[node.kind].op;
  }
  kind(node) {
    return this.kinds[node.kind];
  }
  record(node) {
    return this.records[node.record];
  }
  regimeAt(tokens) {
    return this.regimes[regimeOf(this, tokens)] ?? null;
  }

  // Returns the node of a group in one of its layers (null if the group is outside layers, or not in the regime).
  nodeOf(group, layer, regime) {
    const scope = layer === null ? group.scope : `layer.${layer}${group.scope ? "/" + group.scope : ""}`;
    const n = regime.byKey.get(`${scope}|${group.op}|${group.ordinal}`);
    return n === undefined ? null : regime.nodes[n];
  }

  groupOf(node) {
    this.groupByKey ??= this.#groupIndex();
    const scope = withoutLayer(node.scope);
    return this.groupByKey.get(`${scope}|${this.op(node)}|${node.ordinal ?? 0}|${node.layer ?? ""}`) ?? null;
  }

  #groupIndex() {
    const index = new Map();
    for (const group of this.fold.groups) {
      const key = `${group.scope}|${group.op}|${group.ordinal}|`;
      for (const layer of group.layers.length ? group.layers : [""]) index.set(key + layer, group);
    }
    return index;
  }

  // Returns what was measured for a node in the largest group of calls: {n, min_ns, p50_ns, ...}, or null. Views compare
  // and add up `mean_ns` alone: the means of a call's nodes add up to the mean of the call, medians do not.
  // `waiting_ns` is the part of it that threads spent waiting for each other, `working_ns` the rest.
  measured(regime, node, calls = this.calls(regime)) {
    const row = calls?.timings[node.index];
    if (!row) return null;
    const measured = Object.fromEntries(this.profile.columns.map((name, i) => [name, row[i]]));
    measured.mean_ns = measured.n ? measured.total_ns / measured.n : 0;
    const ofThreads = measured.wait_ns + measured.busy_ns;
    measured.waiting_ns = ofThreads ? (measured.mean_ns * measured.wait_ns) / ofThreads : 0;
    measured.working_ns = measured.mean_ns - measured.waiting_ns;
    return measured;
  }

  // Returns the calls of a regime that took the most time together, or null.
  calls(regime) {
    const groups = this.profile?.regimes[regime.index] ?? [];
    return groups.reduce((most, group) => (!most || group.wall_ns > most.wall_ns ? group : most), null);
  }

  // Returns the nanoseconds that views sort by: measured means if there is a profile, else estimated.
  cost(regime, node) {
    const { working, waiting } = this.costParts(regime, node);
    return working + waiting;
  }

  // Returns the parts of `cost`. An estimate knows no waiting.
  costParts(regime, node) {
    const measured = this.measured(regime, node);
    if (measured) return { working: measured.working_ns, waiting: measured.waiting_ns };
    return { working: this.record(node).estimate_ns?.[0] ?? 0, waiting: 0 };
  }

  // Returns what the numbers of `cost` are.
  costBasis(regime) {
    const calls = this.calls(regime);
    return calls ? `measured, mean of ${format.times(calls.calls, "call")}` : "estimated, lower ends";
  }
}

export const withoutLayer = (scope) => scope.replace(/^layer\.\d+\/?/, "");

// The name of a node as in all layers, also without the number of other layers that a fused node has members of.
export const nameInLayer = (node) => withoutLayer(node.name).replace(/\+layer\.\d+/g, "+layer.*");

// The name without the folders of the node's own scope: "q_proj+k_proj+v_proj".
export const nameInFolder = (node) => nameInLayer(node).slice(withoutLayer(node.scope).lastIndexOf("/") + 1);

// Reads the document, which is deflated and base64-encoded: it is a megabyte of JSON in which layers repeat.
export async function readDocument(element) {
  const bytes = Uint8Array.from(atob(element.textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const data = JSON.parse(await new Response(stream).text());
  if (data.schema !== "infer-viz" || data.schema_version !== 1) {
    throw new Error(`this page reads infer-viz documents of version 1, not ${data.schema} ${data.schema_version}`);
  }
  return data.programs.map((program) => new Program(program));
}
