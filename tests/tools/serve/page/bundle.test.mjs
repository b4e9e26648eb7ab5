// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const page = new URL("../../../../tools/serve/page/", import.meta.url).pathname;
const html = readFileSync(join(page, "dist/page.html"), "utf8");
const policy = readFileSync(join(page, "dist/policy.txt"), "utf8");

test("building the page gives the bytes that are checked in", () => {
  const out = mkdtempSync(join(tmpdir(), "page-"));
  try {
    execFileSync(join(page, "build.sh"), [out], { stdio: ["ignore", "ignore", "inherit"] });
    for (const name of ["page.html", "policy.txt"]) {
      assert.ok(
        readFileSync(join(out, name)).equals(readFileSync(join(page, "dist", name))),
        `dist/${name} is stale; run tools/serve/page/build.sh`,
      );
    }
  } finally {
    rmSync(out, { recursive: true });
  }
});

test("the policy has the hashes of the one script and the one style", () => {
  for (const tag of ["script", "style"]) {
    const elements = [...html.matchAll(new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`, "g"))];
    assert.equal(elements.length, 1);
    const hash = createHash("sha256").update(elements[0][1]).digest("base64");
    assert.ok(policy.includes(`${tag}-src 'sha256-${hash}'`), tag);
  }
});

test("the page is small, names no other place, and its code never uses markup as a string", () => {
  assert.ok(html.length < 150_000, `${html.length} bytes`);
  const names = html.replaceAll("http://www.w3.org/2000/svg", "").match(/https?:\/\/[\w.]+/g) ?? [];
  assert.deepEqual(names, []);
  assert.doesNotMatch(html, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/);
  assert.doesNotMatch(html, /\son\w+\s*=\s*["']|style\s*=\s*["']/);
});
