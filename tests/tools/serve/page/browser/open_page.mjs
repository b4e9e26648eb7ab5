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
  async open(url, { width = 1280, height = 800, theme = "light", hash = "", hasTouch = false } = {}) {
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme: theme, hasTouch });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    return this.openIn(context, url, hash);
  }

  async openIn(context, url, hash = "") {
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
      if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url()))
        page.said.push(`asked for ${request.url()}`);
    });
    page.on("framenavigated", (frame) => {
      if (new URL(frame.url()).origin !== url) page.said.push(`went to ${frame.url()}`);
    });
    await page.goto(`${url}/${hash}`);
    await page.waitForSelector("html[data-ready]");
    return page;
  }

  async close() {
    await this.browser?.close();
  }
}

// One browser for all tests of a process.
let shared = null;

export class Sample {
  async start() {
    this.browser = shared ??= new Browser();
    await (shared.started ??= shared.start());
  }
  close() {
    return shared.close();
  }
  // Runs a test with a server and a page of its own.
  async with(options, body) {
    const server = await new MockServer().start();
    options.before?.(server);
    try {
      const page = await this.browser.open(server.url, options);
      await body(page, server);
      await page.context().close();
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
