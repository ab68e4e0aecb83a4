/** Runs beside the page, so that a long text never makes typing wait. */
import { answerQuestion } from "./answer-question.ts";
import type { Question } from "./protocol.ts";

self.addEventListener("message", ({ data }: MessageEvent<Question>) => {
  void answerQuestion(data).then((reply) => self.postMessage(reply, { transfer: [] }));
});
