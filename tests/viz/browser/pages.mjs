// SPDX-License-Identifier: Apache-2.0
// Programs and pages for tests, made with the binaries of the build; and a browser that fails on what a page says.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const bin = process.env.INFER_BIN_DIR;

export const THREE = `name: "three"
summary: "three kinds of calls"
composites: KEEP
rule { name: "many-rows" min_rows: 8 targets: [METAL, PARALLEL, SIMD, SCALAR] }
rule { name: "some-rows" op: "linear" min_rows: 4 targets: [PARALLEL, SIMD, SCALAR] }
rule { name: "rest" targets: [SIMD, SCALAR] }
`;

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
  close() {
    rmSync(this.dir, { recursive: true });
  }
}

export class Browser {
  async start() {
    this.browser = await chromium.launch({ executablePath: process.env.INFER_CHROMIUM, args: ["--no-sandbox"] });
  }
  // A page from file://, with everything it complains about and every address it asks for in `said`.
  async open(file, { hash = "", width = 1280, height = 800, theme = "light", scripts = true } = {}) {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      javaScriptEnabled: scripts,
    });
    const page = await context.newPage();
    page.said = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.said.push(message.text()));
    page.on("pageerror", (error) => page.said.push(error.stack));
    page.on(
      "request",
      (request) => !/^(file|data|blob):/.test(request.url()) && page.said.push(`asked for ${request.url()}`),
    );
    await page.goto(`file://${file}${hash ? "#" + hash : ""}`);
    if (scripts) await page.waitForSelector("html[data-ready]", { timeout: 15000 });
    return page;
  }
  async close() {
    await this.browser?.close();
  }
}

// What the page's report puts on the clipboard.
export async function copyReport(page) {
  return page.evaluate(async () => {
    let copied = "";
    navigator.clipboard.writeText = async (text) => {
      copied = text;
    };
    [...document.querySelectorAll(".overview button")].find((b) => b.textContent === "Copy as Markdown").click();
    await new Promise((done) => setTimeout(done, 50));
    return copied;
  });
}
