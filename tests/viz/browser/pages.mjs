// SPDX-License-Identifier: Apache-2.0
// A browser that notes what a page says, and what tests of pages share.
import { PATIENCE_MS, launchChromium } from "../launch_chromium.mjs";

export { Workshop } from "../workshop.mjs";

export const THREE = `name: "three"
summary: "three kinds of calls"
composites: KEEP
rule { name: "many-rows" min_rows: 8 targets: [METAL, PARALLEL, SIMD, SCALAR] }
rule { name: "some-rows" op: "linear" min_rows: 4 targets: [PARALLEL, SIMD, SCALAR] }
rule { name: "rest" targets: [SIMD, SCALAR] }
`;

// One Chromium with one tab for all tests of a process, which run one after another: a tab takes longer to start than most
// tests take.
let chromium = null;
const tabs = new Map(); // by whether they run scripts
let opened = 0;

async function tabFor(scripts) {
  const held = tabs.get(scripts);
  if (held && !held.isClosed()) return held;
  chromium ??= launchChromium();
  const context = await (await chromium).newContext({ javaScriptEnabled: scripts });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.said.push(message.text()));
  page.on("pageerror", (error) => page.said.push(error.stack));
  page.on(
    "request",
    (request) => !/^(file|data|blob):/.test(request.url()) && page.said.push(`asked for ${request.url()}`),
  );
  tabs.set(scripts, page);
  return page;
}

// Opens a page from file://, in the place of the one before. Everything it complains about and every address it asks for
// is in `said`.
export async function openPage(file, { hash = "", width = 1280, height = 800, theme = "light", scripts = true } = {}) {
  const page = await tabFor(scripts);
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme });
  page.said = [];
  // Another query, so that a file is read again where only the hash differs.
  await page.goto(`file://${file}?${++opened}${hash ? "#" + hash : ""}`);
  if (scripts) await page.waitForSelector("html[data-ready]");
  return page;
}

export async function closeBrowser() {
  await (await chromium)?.close();
}

// What the page's report puts on the clipboard.
export async function copyReport(page) {
  return page.evaluate(async () => {
    let copied = "";
    navigator.clipboard.writeText = async (text) => {
      copied = text;
    };
    [...document.querySelectorAll(".overview button")].find((b) => b.textContent === "Copy as Markdown").click();
    while (!copied) await new Promise((done) => setTimeout(done));
    return copied;
  });
}
