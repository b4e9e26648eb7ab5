// SPDX-License-Identifier: Apache-2.0
// A browser that fails on what a page says, and what tests of pages share.
import { PATIENCE_MS, launchChromium } from "../launch_chromium.mjs";

export { Workshop } from "../workshop.mjs";

export const THREE = `name: "three"
summary: "three kinds of calls"
composites: KEEP
rule { name: "many-rows" min_rows: 8 targets: [METAL, PARALLEL, SIMD, SCALAR] }
rule { name: "some-rows" op: "linear" min_rows: 4 targets: [PARALLEL, SIMD, SCALAR] }
rule { name: "rest" targets: [SIMD, SCALAR] }
`;

export class Browser {
  async start() {
    this.browser = await launchChromium();
  }
  // A page from file://, with everything it complains about and every address it asks for in `said`.
  async open(file, { hash = "", width = 1280, height = 800, theme = "light", scripts = true } = {}) {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      javaScriptEnabled: scripts,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.said = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.said.push(message.text()));
    page.on("pageerror", (error) => page.said.push(error.stack));
    page.on(
      "request",
      (request) => !/^(file|data|blob):/.test(request.url()) && page.said.push(`asked for ${request.url()}`),
    );
    await page.goto(`file://${file}${hash ? "#" + hash : ""}`);
    if (scripts) await page.waitForSelector("html[data-ready]");
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
