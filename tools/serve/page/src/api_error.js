// SPDX-License-Identifier: Apache-2.0
// What can go wrong between the page and the server, in words for the reader.

const TITLES = {
  key: "The server asks for an API key",
  busy: "The server is busy",
  unavailable: "The server is not available",
  offline: "The server cannot be reached",
  request: "The server refused the request",
  server: "The server failed",
  stream: "The answer broke off",
};

export class ApiError extends Error {
  // kind: a key of TITLES. retryAfter: seconds that the server asks to wait, or null.
  constructor(kind, message, { retryAfter = null, code = null } = {}) {
    super(message);
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.code = code;
  }
  get title() {
    return this.code === "context_length_exceeded" ? "The conversation is too long" : TITLES[this.kind];
  }
}

function kindOf(status) {
  if (status === 401 || status === 403) return "key";
  if (status === 429) return "busy";
  if (status === 503) return "unavailable";
  return status >= 500 ? "server" : "request";
}

// Seconds from a Retry-After header: a number, or a date.
export function retrySeconds(value, now = Date.now()) {
  if (!value) return null;
  if (/^\d+$/.test(value.trim())) return Math.min(3600, Number(value));
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.min(3600, Math.max(0, Math.ceil((at - now) / 1000)));
}

export function offlineError() {
  return new ApiError("offline", "Is it still running, and is this computer connected to it?");
}

// The error in an event of a stream.
export function streamError({ message, code = null } = {}) {
  return new ApiError("stream", typeof message === "string" ? message : "The server reported an error.", { code });
}

export async function errorOf(response) {
  let error = {};
  try {
    error = (await response.json())?.error ?? {};
  } catch {
    // Not JSON: a proxy answered. The status must do.
  }
  const said = typeof error === "string" ? error : error.message;
  const message = typeof said === "string" && said ? said : `HTTP status ${response.status}`;
  return new ApiError(kindOf(response.status), message, {
    retryAfter: retrySeconds(response.headers.get("retry-after")),
    code: error.code ?? null,
  });
}
