// SPDX-License-Identifier: Apache-2.0
// Builds elements from data. Text is always text, never markup: what a model writes is untrusted.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attrs, children) {
  for (const [name, value] of Object.entries(attrs ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

export const h = (tag, attrs, ...children) => fill(document.createElement(tag), attrs, children);
export const s = (tag, attrs, ...children) => fill(document.createElementNS(SVG, tag), attrs, children);

export function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Browsers offer the clipboard only to pages from localhost or over TLS; elsewhere a selection does it.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "offscreen", "aria-hidden": "true", value: text });
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }
}

// A button whose label says for a moment that the copy is made.
export function copyButton(getText, label = "Copy") {
  const button = h("button", { type: "button", class: "quiet copy" }, label);
  button.addEventListener("click", async () => {
    button.textContent = (await copyText(getText())) ? "Copied" : "Could not copy";
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  return button;
}
