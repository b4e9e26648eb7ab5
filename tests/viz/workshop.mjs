// SPDX-License-Identifier: Apache-2.0
// Models, Programs and documents for tests, made with the binaries of the build in a folder of their own.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const bin = process.env.INFER_BIN_DIR;

export class Workshop {
  constructor() {
    this.dir = mkdtempSync(join(tmpdir(), "infer-viz-"));
  }
  path(name) {
    return join(this.dir, name);
  }
  run(tool, ...args) {
    return execFileSync(join(bin, tool), args, {
      cwd: this.dir,
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 1 << 28,
    });
  }
  write(name, text) {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }
  read(name) {
    return readFileSync(this.path(name));
  }

  // A model with that many layers and heads, as small as can be.
  model(name, layers, heads = 4, kvHeads = 2) {
    this.run(
      "infer-synth",
      "--layers",
      String(layers),
      "--hidden",
      "64",
      "--heads",
      String(heads),
      "--kv-heads",
      String(kvHeads),
      "--head-dim",
      "32",
      "--ff",
      "96",
      "--vocab",
      "small",
      "-o",
      name,
    );
  }
  compile(model, out, policy, ...more) {
    this.run("infer-compile", "-m", model, "-o", out, "--policy", policy, "--skip", "smooth-placement", ...more);
  }
  // For a machine with a GPU that this build has no kernels for.
  compileElsewhere(model, out, policy) {
    this.run("compile_elsewhere", model, policy, out);
  }
  // What the page is given of a Program.
  document(program) {
    const text = this.run("infer-viz", program, "--format", "json");
    return JSON.parse(text).programs[0];
  }
  close() {
    rmSync(this.dir, { recursive: true });
  }
}
