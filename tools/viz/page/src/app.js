// SPDX-License-Identifier: Apache-2.0
// State that views share: the programs, the selection, and listeners to its changes.

export class App extends EventTarget {
  constructor(programs) {
    super();
    this.programs = programs;
    this.state = { tab: "overview", program: 0, regime: 0, node: null, colour: "target", open: [], tokens: null };
    this.#readHash();
    addEventListener("hashchange", () => {
      if (location.hash.slice(1) === this.#hash()) return;
      this.#readHash();
      this.dispatchEvent(new Event("change"));
    });
  }

  get program() {
    return this.programs[this.state.program];
  }
  get regime() {
    return this.program.regimes[this.state.regime];
  }
  get node() {
    const n = this.state.node === null ? undefined : this.regime.byId.get(this.state.node);
    return n === undefined ? null : this.regime.nodes[n];
  }

  set(changes) {
    Object.assign(this.state, changes);
    this.state.program = Math.min(this.state.program, this.programs.length - 1);
    this.state.regime = Math.min(this.state.regime, this.program.regimes.length - 1);
    history.replaceState(null, "", `#${this.#hash()}`);
    this.dispatchEvent(new CustomEvent("change", { detail: changes }));
  }

  select(node, more = {}) {
    this.set({ node: node?.id ?? null, ...more });
  }

  #hash() {
    const { tab, program, regime, node, colour, open } = this.state;
    const parts = {
      tab,
      p: program || "",
      regime: regime || "",
      node,
      colour: colour === "target" ? "" : colour,
      open: open.join(","),
    };
    return Object.entries(parts)
      .filter(([, v]) => v)
      .map(([k, v]) => `${k}=${encodeURIComponent(v)}`)
      .join("&");
  }

  #readHash() {
    const hash = new URLSearchParams(location.hash.slice(1));
    const number = (name, most) => Math.min(most - 1, Math.max(0, parseInt(hash.get(name) ?? "0", 10) || 0));
    this.state.tab = hash.get("tab") ?? this.state.tab;
    this.state.program = number("p", this.programs.length);
    this.state.regime = number("regime", this.program.regimes.length);
    this.state.node = hash.get("node");
    this.state.colour = hash.get("colour") ?? "target";
    this.state.open = (hash.get("open") ?? "").split(",").filter(Boolean);
  }
}
