// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const page = new URL("../../tools/viz/page/", import.meta.url).pathname;

test("building the page gives the bytes that are checked in", () => {
  const out = mkdtempSync(join(tmpdir(), "viewer-"));
  try {
    execFileSync(join(page, "build.sh"), [out], { stdio: ["ignore", "ignore", "inherit"] });
    for (const name of ["viewer.js", "viewer.css", "LICENSES.txt"]) {
      assert.ok(
        readFileSync(join(out, name)).equals(readFileSync(join(page, "dist", name))),
        `dist/${name} is stale; run tools/viz/page/build.sh`,
      );
    }
  } finally {
    rmSync(out, { recursive: true });
  }
});

test("the script can stand in a page, and has the licences of what is in it", () => {
  const script = readFileSync(join(page, "dist/viewer.js"), "utf8");
  assert.ok(!/<\/script|<!--/i.test(script));
  assert.match(script, /@dagrejs\/dagre \d/);
  assert.match(script, /Permission is hereby granted/);
  assert.match(script, /d3-zoom \d/);
  assert.ok(!/https?:\/\/(?!www\.w3\.org)/.test(script.replace(/^\/\*[^]*?\*\//, "")), "the script names an address");
});
