// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Sample, answered, say, full } from "./open_page.mjs";

const sample = new Sample();
before(() => sample.start());
after(() => sample.close());

// Nothing is wider than the screen, and no control lies on another.
async function checkLayout(page, what) {
  const problems = await page.evaluate(() => {
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push("wider than the screen");
    const { top, bottom } = document.body.getBoundingClientRect();
    if (top !== 0 || bottom > innerHeight) found.push(`the page was scrolled by ${-top}`);
    const isShown = (e) =>
      e.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) && !e.closest(".offscreen, .skip");
    const controls = [
      ...document.querySelectorAll(".top button, .top a, .composer button, .composer textarea, .live .button"),
    ].filter(isShown);
    const boxes = controls.map((e) => [e.getAttribute("aria-label") ?? e.textContent, e.getBoundingClientRect()]);
    for (const [i, [name, a]] of boxes.entries()) {
      if (a.left < -1 || a.right > innerWidth + 1) found.push(`${name} is off the screen`);
      for (const [other, b] of boxes.slice(i + 1)) {
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
          found.push(`${name} covers ${other}`);
      }
    }
    return found;
  });
  assert.deepEqual(problems, [], what);
}

for (const theme of ["light", "dark"]) {
  for (const width of [390, 820, 1440]) {
    const isEveryday = (width === 390 && theme === "light") || (width === 1440 && theme === "dark");
    (isEveryday ? test : full)(`chat, dialogs and live view fit ${width} pixels, ${theme}`, () =>
      sample.with({ width, height: 850, theme }, async (page) => {
        await checkLayout(page, "welcome");
        await say(page, "tour");
        await answered(page);
        await checkLayout(page, "chat");
        if (width < 900) {
          await page.getByRole("button", { name: "Conversations" }).click();
          await page.locator(".chats .title").click();
          assert.equal(await page.evaluate(() => document.body.classList.contains("sidebar-toggled")), false);
        } else assert.ok(await page.locator(".chats .title").isVisible());
        await page.getByRole("button", { name: "Settings" }).click();
        assert.ok(
          await page.evaluate(() => {
            const { left, right } = document.querySelector("dialog").getBoundingClientRect();
            return left >= 0 && right <= innerWidth;
          }),
        );
        await page.keyboard.press("Escape");
        await page.getByRole("tab", { name: "Live" }).click();
        await page.locator(".timeline .bar").first().waitFor();
        await checkLayout(page, "live");
        assert.deepEqual(page.said, []);
      }),
    );
  }
}

full("text has enough contrast in both themes", () =>
  sample.with({}, async (page) => {
    await say(page, "tour");
    await answered(page);
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme });
      const low = await page.evaluate(() => {
        const style = getComputedStyle(document.documentElement);
        const luminance = (name) => {
          const hex = style.getPropertyValue(name).trim();
          const [r, g, b] = [1, 3, 5]
            .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (a, b) => {
          const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
          return (x + 0.05) / (y + 0.05);
        };
        const pairs = [
          ["--text", "--page"],
          ["--text", "--bubble"],
          ["--muted", "--page"],
          ["--muted", "--panel"],
          ["--muted", "--side"],
          ["--muted", "--soft"],
          ["--accent", "--page"],
          ["--on-accent", "--accent"],
          ["--bad", "--bad-soft"],
          ["--keyword", "--code"],
          ["--string", "--code"],
          ["--number", "--code"],
          ["--comment", "--code"],
          ["--accent", "--accent-soft"],
        ];
        return pairs.map(([a, b]) => [a, b, +contrast(a, b).toFixed(2)]).filter(([, , value]) => value < 4.5);
      });
      assert.deepEqual(low, [], theme);
    }
  }),
);
