// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Store, titleOf } from "../../../../../tools/serve/page/src/store.js";

// Storage with room for `room` characters.
class FakeStorage {
  entries = new Map();
  constructor(room = Number.POSITIVE_INFINITY) {
    this.room = room;
  }
  getItem(name) {
    return this.entries.get(name) ?? null;
  }
  setItem(name, text) {
    const others = [...this.entries]
      .filter(([other]) => other !== name)
      .reduce((sum, [, value]) => sum + value.length, 0);
    if (others + text.length > this.room) throw new Error("QuotaExceededError");
    this.entries.set(name, text);
  }
  removeItem(name) {
    this.entries.delete(name);
  }
}

function storeWith(storage, limits) {
  let time = 0;
  let id = 0;
  return new Store(storage, { limits, now: () => ++time, newId: () => `id-${++id}` });
}

function add(store, title, text = "hello") {
  const conversation = store.create();
  conversation.title = title;
  conversation.messages.push({ role: "user", content: text });
  return { id: conversation.id, dropped: store.save(conversation) };
}
const titles = (store) => store.list().map(({ title }) => title);

test("conversations are listed by use, renamed, removed", () => {
  const store = storeWith(new FakeStorage(), { conversations: 10, chars: 1e6 });
  const [a, b] = [add(store, "a"), add(store, "b")];
  assert.deepEqual(titles(store), ["b", "a"]);
  store.save(store.load(a.id));
  store.rename(b.id, "  better  ");
  assert.deepEqual(titles(store), ["a", "better"]);
  assert.equal(store.load(b.id).title, "better");
  store.remove(a.id);
  assert.deepEqual(titles(store), ["better"]);
  assert.equal(store.load(a.id), null);
});

test("the oldest give way: by number, by size, and when the browser refuses", () => {
  const byNumber = storeWith(new FakeStorage(), { conversations: 3, chars: 1e6 });
  for (const title of ["a", "b", "c", "d"]) add(byNumber, title);
  assert.deepEqual(titles(byNumber), ["d", "c", "b"]);
  const bySize = storeWith(new FakeStorage(), { conversations: 100, chars: 1000 });
  for (const title of ["a", "b", "c"]) add(bySize, title, "x".repeat(400));
  assert.deepEqual(titles(bySize), ["c", "b"].slice(0, titles(bySize).length));
  assert.ok(titles(bySize).length < 3);
  const full = storeWith(new FakeStorage(1500), { conversations: 100, chars: 1e6 });
  add(full, "a", "x".repeat(500));
  assert.deepEqual(add(full, "b", "x".repeat(900)).dropped, ["a"]);
  assert.throws(() => add(full, "c", "x".repeat(5000)));
});

test("what is exported can be imported; other files are refused with a reason and change nothing", () => {
  const from = storeWith(new FakeStorage());
  add(from, "a");
  add(from, "b");
  const to = storeWith(new FakeStorage());
  assert.equal(to.importText(from.exportText()), 2);
  assert.deepEqual(titles(to), ["b", "a"]);
  assert.deepEqual(to.load("id-1").messages, from.load("id-1").messages);
  const one = (conversation) => JSON.stringify({ format: "infer-chats", version: 1, conversations: [conversation] });
  for (const [text, message] of [
    ["{", /not JSON/],
    ["[]", /not exported from this page/],
    [one({ id: "../x", messages: [] }), /Conversation 1/],
    [one({ id: "x", messages: [{ role: "system", content: "y" }] }), /Conversation 1/],
    [one({ id: "x", messages: [{ role: "user", content: { a: 1 } }] }), /Conversation 1/],
    [one(null), /Conversation 1/],
  ])
    assert.throws(() => to.importText(text), message);
  assert.equal(to.list().length, 2);
});

test("entries that something else has damaged are left out", () => {
  const storage = new FakeStorage();
  const store = storeWith(storage);
  add(store, "a");
  storage.setItem("infer.chat.id-1", "{");
  assert.equal(store.load("id-1"), null);
  storage.setItem("infer.chats", '{"x": 1}');
  assert.deepEqual(store.list(), []);
});

test("titles are one short line", () => {
  assert.equal(titleOf("  What   is\nthis?"), "What is");
  assert.equal(titleOf("x".repeat(100)).length, 60);
  assert.equal(titleOf("  \n "), "New chat");
});
