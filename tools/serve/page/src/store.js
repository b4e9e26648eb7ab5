// SPDX-License-Identifier: Apache-2.0
// Conversations in the browser's storage: an index, and an entry for each conversation. The space is limited, so the
// conversations that have not been used for longest give way.

const INDEX = "infer.chats";
const ENTRY = "infer.chat.";
// Browsers allow about 5 million characters in all.
export const LIMITS = { conversations: 200, chars: 4_000_000 };

const ROLES = ["user", "assistant", "tool"];
const isText = (value) => typeof value === "string";

// Returns a message of an imported or stored file with known fields only, or null.
function readMessage(raw) {
  if (!raw || !ROLES.includes(raw.role) || !isText(raw.content)) return null;
  const message = { role: raw.role, content: raw.content };
  for (const name of ["reasoning", "finish", "tool_call_id"]) if (isText(raw[name])) message[name] = raw[name];
  if (Array.isArray(raw.tool_calls)) {
    message.tool_calls = raw.tool_calls
      .filter((call) => call && isText(call.name) && isText(call.arguments))
      .map((call) => ({ id: String(call.id ?? ""), name: call.name, arguments: call.arguments }));
  }
  if (raw.speed && Number.isFinite(raw.speed.first_ms)) {
    const number = (name) => (Number.isFinite(raw.speed[name]) ? raw.speed[name] : null);
    message.speed = { first_ms: raw.speed.first_ms, decode_ms: number("decode_ms") ?? 0 };
    for (const name of ["tokens", "prompt_tokens", "cached_tokens"]) message.speed[name] = number(name);
  }
  return message;
}

// Returns a conversation with known fields only, or null.
export function readConversation(raw) {
  if (!raw || !isText(raw.id) || !/^[\w-]{1,64}$/.test(raw.id) || !Array.isArray(raw.messages)) return null;
  const messages = raw.messages.map(readMessage);
  if (messages.includes(null)) return null;
  const updated = Number.isFinite(raw.updated) ? raw.updated : 0;
  return { id: raw.id, title: isText(raw.title) ? raw.title.slice(0, 200) : "", updated, messages };
}

export function titleOf(text) {
  const line = text.trim().split("\n", 1)[0].replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 59)}\u2026` : line || "New chat";
}

export class Store {
  constructor(storage, { limits = LIMITS, now = () => Date.now(), newId = () => crypto.randomUUID() } = {}) {
    Object.assign(this, { storage, limits, now, newId });
  }

  // {id, title, updated, chars} of all conversations, the latest first.
  list() {
    const index = this.#parse(INDEX);
    const entries = Array.isArray(index) ? index.filter((entry) => entry && isText(entry.id)) : [];
    return entries.sort((a, b) => b.updated - a.updated);
  }

  // A conversation that is stored once it is saved.
  create() {
    return { id: this.newId(), title: "", updated: this.now(), messages: [] };
  }

  load(id) {
    return readConversation(this.#parse(ENTRY + id));
  }

  // Saves, and drops the oldest conversations if the space is short. Returns the titles of those that were dropped;
  // throws if there is no space even then.
  save(conversation) {
    conversation.updated = this.now();
    const text = JSON.stringify(conversation);
    const entry = {
      id: conversation.id,
      title: conversation.title,
      updated: conversation.updated,
      chars: text.length,
    };
    const others = this.list().filter(({ id }) => id !== entry.id);
    const dropped = [];
    const drop = () => {
      const oldest = others.pop();
      this.storage.removeItem(ENTRY + oldest.id);
      dropped.push(oldest.title);
    };
    const chars = () => others.reduce((sum, other) => sum + other.chars, text.length);
    while (others.length && (others.length >= this.limits.conversations || chars() > this.limits.chars)) drop();
    for (;;) {
      try {
        this.storage.setItem(ENTRY + entry.id, text);
        this.storage.setItem(INDEX, JSON.stringify([entry, ...others]));
        return dropped;
      } catch (error) {
        if (!others.length) throw error;
        drop();
      }
    }
  }

  rename(id, title) {
    const conversation = this.load(id);
    if (!conversation || !title.trim()) return;
    const { updated } = conversation;
    conversation.title = title.trim().slice(0, 200);
    this.storage.setItem(ENTRY + id, JSON.stringify({ ...conversation, updated }));
    const index = this.list().map((entry) => (entry.id === id ? { ...entry, title: conversation.title } : entry));
    this.storage.setItem(INDEX, JSON.stringify(index));
  }

  remove(id) {
    this.storage.removeItem(ENTRY + id);
    this.storage.setItem(INDEX, JSON.stringify(this.list().filter((entry) => entry.id !== id)));
  }

  // All conversations as the text of a file.
  exportText() {
    const conversations = this.list()
      .map(({ id }) => this.load(id))
      .filter(Boolean);
    return `${JSON.stringify({ format: "infer-chats", version: 1, conversations }, null, 1)}\n`;
  }

  // Adds the conversations of an exported file; those with the id of a stored one replace it. Returns their number.
  importText(text) {
    let file;
    try {
      file = JSON.parse(text);
    } catch {
      throw new Error("The file is not JSON.");
    }
    if (file?.format !== "infer-chats" || !Array.isArray(file.conversations))
      throw new Error("The file was not exported from this page: it has no list of conversations.");
    const read = file.conversations.map(readConversation);
    const bad = read.indexOf(null);
    if (bad >= 0) throw new Error(`Conversation ${bad + 1} of the file cannot be read; nothing was imported.`);
    for (const conversation of read.toSorted((a, b) => a.updated - b.updated)) this.save(conversation);
    return read.length;
  }

  #parse(key) {
    try {
      return JSON.parse(this.storage.getItem(key));
    } catch {
      return null;
    }
  }
}
