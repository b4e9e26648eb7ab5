// SPDX-License-Identifier: Apache-2.0
// Which addresses in a model's text become links.

const SCHEMES = ["http:", "https:", "mailto:"];

// Returns {href, site}, or null for an address that stays text: other schemes, addresses relative to this server, and
// ones with a user name, which make https://bank.example@evil.example look like the bank.
export function safeLink(address) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (!SCHEMES.includes(url.protocol) || url.username || url.password) return null;
  const isMail = url.protocol === "mailto:";
  if (!isMail && !url.hostname) return null;
  return { href: url.href, site: isMail ? url.pathname : url.host };
}
