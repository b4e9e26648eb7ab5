// SPDX-License-Identifier: Apache-2.0
// A page with all there is: two programs with profiles, a pass log, layers that differ.
import { after } from "node:test";
import { THREE, Workshop, closeBrowser, openPage } from "./pages.mjs";

function make(work) {
  work.model("m.gguf", 5);
  work.write("three.textproto", THREE);
  work.compile("m.gguf", "a.pb", "three.textproto", "--pass-log", "log.json", "--place", "name=layer.2/ffn/*=simd");
  work.compile("m.gguf", "b.pb", "parallel");
  const flags = ["-p", "Once upon a time", "-n", "6", "-t", "2"];
  const run = (program, profile, ...more) =>
    work.run("infer-run", "-m", "m.gguf", "-g", program, ...flags, "--profile", profile, ...more);
  run("a.pb", "a.profile", "--trace", "a.json");
  run("b.pb", "b.profile");
  const first = ["a.pb", "--profile", "a.profile", "--pass-log", "log.json"];
  work.run("infer-viz", ...first, "--vs", "b.pb", "--vs-profile", "b.profile", "-o", "a.html");
}

// Made when it is first asked for, once for all tests of a process.
class SamplePage {
  work = new Workshop();
  isMade = false;

  get file() {
    if (!this.isMade) make(this.work);
    this.isMade = true;
    return this.work.path("a.html");
  }
  open(hash, more) {
    return openPage(this.file, { hash, ...more });
  }
  async close() {
    await closeBrowser();
    this.work.close();
  }
}

export const sample = new SamplePage();
after(() => sample.close());
