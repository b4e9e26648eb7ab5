// SPDX-License-Identifier: Apache-2.0
// One answer on its way. Goes on when the reader looks at another conversation.
// Events: "update" when something has arrived, "end" once.
import { Answer } from "../answer.js";
import { ApiError } from "../api_error.js";

export class Run extends EventTarget {
  #abort = new AbortController();
  answer = new Answer(performance.now());
  error = null; // an ApiError
  message = null; // the answer as it is stored, once it has ended
  isStopped = false;
  isEnded = false;

  constructor(conversation) {
    super();
    this.conversation = conversation;
  }

  async start(api, body) {
    try {
      await api.chat(body, this.#abort.signal, (chunk) => {
        this.answer.add(chunk, performance.now());
        this.dispatchEvent(new Event("update"));
      });
    } catch (error) {
      if (!this.isStopped)
        this.error = error instanceof ApiError ? error : new ApiError("stream", `The page failed: ${error.message}`);
    }
    if (this.isStopped) this.answer.finish = "stopped";
    this.isEnded = true;
    this.dispatchEvent(new Event("end"));
  }

  stop() {
    this.isStopped = true;
    this.#abort.abort();
  }
}
