// SPDX-License-Identifier: Apache-2.0
// Reads server-sent events as the HTML standard defines them. The server uses the field `data` alone; the others are
// skipped.

const MAX_EVENT_CHARS = 1 << 24;

export class SseParser {
  #rest = "";
  #data = [];
  #chars = 0;

  constructor(onData) {
    this.onData = onData;
  }

  // Takes decoded text in pieces of any size.
  push(text) {
    this.#rest += text;
    // A carriage return at the end may be the first half of a line end.
    const usable = this.#rest.endsWith("\r") ? this.#rest.length - 1 : this.#rest.length;
    const ends = /\r\n|\n|\r/g;
    let from = 0;
    for (let end; (end = ends.exec(this.#rest)) && end.index < usable; from = ends.lastIndex)
      this.#line(this.#rest.slice(from, end.index));
    this.#rest = this.#rest.slice(from);
    if (this.#rest.length + this.#chars > MAX_EVENT_CHARS) throw new Error("an event of the stream is too long");
  }

  #line(line) {
    if (line === "") {
      if (this.#data.length) this.onData(this.#data.join("\n"));
      this.#data = [];
      this.#chars = 0;
      return;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    if (name !== "data") return;
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    this.#data.push(value);
    this.#chars += value.length;
  }
}
