/** Entry of the web worker that checks a text outside the page's thread, so that a long text does not delay typing. */
import { Answerer } from "./answerer.ts";
import type { Question } from "./protocol.ts";

const PROGRESS_MS = 30;

const answerer = new Answerer({
  reply: (reply) => self.postMessage(reply, { transfer: [] }),
  soon: (run) => setTimeout(run, PROGRESS_MS),
});
self.addEventListener("message", ({ data }: MessageEvent<Question>) => void answerer.take(data));
