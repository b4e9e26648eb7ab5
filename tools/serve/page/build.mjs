// SPDX-License-Identifier: Apache-2.0
// build.mjs OUT: the page as one file, and the content security policy that allows its script and style and nothing else.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const here = new URL(".", import.meta.url).pathname;
const esbuild = createRequire(`${here}../../viz/page/package.json`)("esbuild");
const out = process.argv[2];

function bundle(entry, more) {
  const result = esbuild.buildSync({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    charset: "ascii",
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
    ...more,
  });
  const text = result.outputFiles[0].text.trim();
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${entry}: the bundle would end its element early`);
  return text;
}

const script = bundle("src/main.js", { format: "iife" });
const style = bundle("src/style/style.css", {});
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
// Browsers that know trusted types refuse every use of markup as a string, so that a mistake in the page shows at once.
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
const html = readFileSync(`${here}src/index.html`, "utf8")
  .replace("/*STYLE*/", () => style)
  .replace("/*SCRIPT*/", () => script);
mkdirSync(out, { recursive: true });
writeFileSync(`${out}/page.html`, html);
writeFileSync(`${out}/policy.txt`, `${policy}\n`);
