// SPDX-License-Identifier: Apache-2.0
// A browser that notes everything a page says, asks for or opens.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PATIENCE_MS, launchChromium } from "../../../../viz/launch_chromium.mjs";
import { MockServer } from "../mock_server.mjs";

// A test that the everyday run leaves out; INFER_TEST_PAGE=all runs it.
export const full = process.env.INFER_TEST_PAGE === "all" ? test : test.skip;

export class Browser {
  async start() {
    this.browser = await launchChromium();
  }

  // Opens the page of `url` in a fresh profile. page.said: console errors, uncaught errors, requests to other places,
  // dialogs, new tabs and navigations; a test ends with it empty.
  async open(url, options = {}) {
    const page = await this.openTab();
    await show(page, url, options);
    return page;
  }

  async openTab() {
    const context = await this.browser.newContext();
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.said = [];
    const isExpected = (text) => /Failed to load resource: the server responded with a status of|net::ERR_/.test(text);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !isExpected(message.text())) page.said.push(message.text());
    });
    page.on("pageerror", (error) => page.said.push(error.stack));
    page.on("dialog", (dialog) => {
      page.said.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on("popup", (popup) => page.said.push(`opened ${popup.url()}`));
    page.on("request", (request) => {
      if (!request.url().startsWith(page.server) && !/^(data|blob):/.test(request.url()))
        page.said.push(`asked for ${request.url()}`);
    });
    page.on("framenavigated", (frame) => {
      if (new URL(frame.url()).origin !== page.server) page.said.push(`went to ${frame.url()}`);
    });
    return page;
  }

  async close() {
    await this.browser?.close();
  }
}

async function show(page, url, { width = 1280, height = 800, theme = "light", hash = "" }) {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  page.server = url;
  page.said = [];
  await page.goto(`${url}/${hash}`);
  await page.waitForSelector("html[data-ready]");
}

// One browser for all tests of a process, and one tab, since starting a tab takes longer than most tests. Storage belongs
// to the address of a server, so no address is used twice.
let shared = null;
let tab = null;
const used = new Set();

async function startServer() {
  for (;;) {
    const server = await new MockServer().start();
    if (used.size < used.add(server.url).size) return server;
    await server.close();
  }
}

export class Sample {
  async start() {
    this.browser = shared ??= new Browser();
    await (shared.started ??= shared.start());
  }
  close() {
    return shared.close();
  }
  // Runs a test with a server of its own. A test that fails takes the tab with it. `hasClock`: in a tab of its own, whose
  // clock the test may set.
  async with({ before, hasClock = false, ...options }, body) {
    const server = await startServer();
    before?.(server);
    try {
      const page = (!hasClock && tab) || (await this.browser.openTab());
      if (hasClock) await page.clock.install();
      else tab = null;
      await show(page, server.url, options);
      await body(page, server);
      if (hasClock) return await page.context().close();
      for (const other of page.context().pages()) if (other !== page) await other.close();
      await page.context().unrouteAll();
      await page.unrouteAll();
      await page.goto("about:blank");
      tab = page;
    } finally {
      await server.close();
    }
  }
}

export async function say(page, text) {
  await page.fill("#message", text);
  await page.press("#message", "Enter");
}

// Waits until `condition` holds on this side of the connection.
export async function until(condition, what) {
  for (const end = Date.now() + PATIENCE_MS; !condition(); await new Promise((done) => setTimeout(done, 20)))
    assert.ok(Date.now() < end, `${what} did not happen`);
}

// Waits until the last answer is finished and returns its text.
export async function answered(page, count = 1) {
  await page.waitForFunction((n) => document.querySelectorAll(".message.assistant.finished").length >= n, count);
  return page.locator(".message.assistant .markdown").last().innerText();
}
