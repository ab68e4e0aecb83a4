import { describe, expect, it } from "vitest";
import { sentDispatchSchema } from "./bridge-body.ts";
import { readSentDispatch } from "./sent-dispatch.ts";

const SHORT = { command: "Say hello", callbackUrl: "http://server.test/api/workflow/step-complete" };
const parse = (sent: Parameters<typeof readSentDispatch>[0]) =>
  sentDispatchSchema.parse(readSentDispatch(sent, "test").body);

describe("a short dispatch", () => {
  it("is whole with what stands by default", () => {
    const read = parse({ ...SHORT, stdin: "in", timeout: 1.5, context: { runId: "run_7", workflow: "w" } });
    expect(read).toMatchObject({
      message: "Say hello",
      stdin: "in",
      runId: "run_7",
      stepId: "step",
      attempt: 1,
      provider: "test",
      agentId: "default",
      inputs: {},
      outputStrategy: "text",
      timeoutMs: 1_500,
      effects: "at_least_once",
      context: { runId: "run_7", workflow: "w", phase: null, upstreamDigest: null },
      callbackUrl: SHORT.callbackUrl,
    });
    expect(read.idempotencyKey).toBe(read.dispatchId);
  });

  it("has an id of its own each time, unless it brings one", () => {
    expect(parse(SHORT).dispatchId).not.toBe(parse(SHORT).dispatchId);
    expect(parse({ ...SHORT, taskId: "t1" })).toMatchObject({ dispatchId: "t1", runId: "t1", idempotencyKey: "t1" });
    expect(parse({ ...SHORT, task_id: "t1", callback_url: "x", system_prompt: "Be brief" }).systemPrompt).toBe(
      "Be brief",
    );
  });

  it("still needs something to do", () => {
    expect(sentDispatchSchema.safeParse(readSentDispatch({ callbackUrl: "http://x.test/" }, "test").body).success).toBe(
      false,
    );
    expect(sentDispatchSchema.safeParse(readSentDispatch(SHORT, null).body).success).toBe(false);
    expect(sentDispatchSchema.safeParse(readSentDispatch({ ...SHORT, timeout: "soon" }, "test").body).success).toBe(
      false,
    );
  });

  it("takes tools by their specification, and both words for the same thing without a remark", () => {
    const both = { ...SHORT, message: "Say hello", dispatchId: "d", taskId: "d", timeoutMs: 5, timeout: 9 };
    expect(parse({ ...both, tools: [{ name: "search", description: "…" }, "read"] })).toMatchObject({
      tools: ["search", "read"],
      timeoutMs: 5,
    });
    expect(readSentDispatch(both, "test").warnings).toEqual([]);
  });

  it("names what means nothing here", () => {
    expect(readSentDispatch({ ...SHORT, flavor: 1, context: { mood: "x" } }, "test").warnings).toEqual([
      'The dispatch has keys that mean nothing here and were left out: "flavor", "context.mood".',
    ]);
  });
});
