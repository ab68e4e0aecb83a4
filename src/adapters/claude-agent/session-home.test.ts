import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { aborted, createFakeSdk, type SessionScript, useTool } from "../../../test/claude-agent/fake-sdk.ts";
import * as say from "../../../test/claude-agent/messages.ts";
import { attempt } from "../../../test/providers/index.ts";
import type { AbortReason, TurnHooks } from "../../adapter/index.ts";
import { succeed } from "../../core/base/index.ts";
import { isCallIdOf } from "../../core/event/index.ts";
import { createClaudeAgentAdapter } from "./claude-agent-adapter.ts";

const directory = mkdtempSync(join(tmpdir(), "sluice-claude-agent-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ENV = { ANTHROPIC_API_KEY: "sk-ant-test-0000000000" };
const CALL = { id: "toolu_1", name: "Read", input: { file_path: "a" } };
const REQUEST = { tools: ["Read"], dispatchId: "run-1/a/0/1" };

const turn: TurnHooks = {
  round: () => Promise.reject(new Error("a session reports no rounds")),
  tool: ({ callId, args }) => Promise.resolve({ disposition: "allow", callId, args }),
  toolResult: () => Promise.resolve(),
};

async function open(...scripts: readonly SessionScript[]) {
  const sdk = createFakeSdk(...scripts);
  const adapter = createClaudeAgentAdapter({ env: ENV, directory, load: () => Promise.resolve(succeed(sdk)) });
  await adapter.initialize({ tools: ["Read"] });
  return { adapter, sdk };
}

const callingThenHanging: SessionScript = async function* (session) {
  yield say.init();
  await useTool(session, CALL, () => "read");
  yield say.piece("read it");
  await aborted(session.options.abortController.signal);
};

const finishing: SessionScript = () => [
  say.init(),
  say.assistant([say.text("Done.")]),
  say.result({ result: "Done." }),
];

describe("a session that is cut off", () => {
  it.each<AbortReason>(["stopped", "cancelled", "timeout"])("is kept only for a Bridge that stops: %s", async (why) => {
    const { adapter, sdk } = await open(callingThenHanging, finishing);
    const stop = new AbortController();
    await attempt(adapter, REQUEST, { signal: stop.signal, onPartial: () => stop.abort(why), turn });
    expect(readdirSync(directory)).toHaveLength(why === "stopped" ? 1 : 0);
    const next = await attempt(adapter, { ...REQUEST, segment: 1 }, { turn });
    expect(readdirSync(directory)).toEqual([]);
    if (why === "stopped") {
      expect(next.result).toMatchObject({ status: "completed", stdout: "Done." });
      const [first, second] = sdk.sessions;
      expect(second?.options).toMatchObject({ resume: say.init()["session_id"], cwd: first?.options.cwd });
      expect(second?.prompt).toContain("interrupted");
    } else {
      expect(next.result).toMatchObject({ status: "failed", failure: "outcome_unknown" });
      expect(sdk.sessions).toHaveLength(1);
    }
  });

  it("asks about its further calls under ids that no execution before it has used", async () => {
    const finishingAfterACall: SessionScript = async function* (session) {
      yield say.init();
      await useTool(session, { ...CALL, id: "toolu_2" }, () => "read");
      yield say.assistant([say.text("Done.")]);
      yield say.result({ result: "Done." });
    };
    const { adapter } = await open(callingThenHanging, finishingAfterACall);
    const asked: string[] = [];
    const listening: TurnHooks = { ...turn, tool: (ask) => (asked.push(ask.callId), turn.tool(ask)) };
    const stop = new AbortController();
    const stopped: AbortReason = "stopped";
    const request = { ...REQUEST, idempotencyKey: "run-1/c/0" };
    await attempt(adapter, request, { signal: stop.signal, onPartial: () => stop.abort(stopped), turn: listening });
    await attempt(adapter, { ...request, segment: 1 }, { turn: listening });
    expect(asked).toEqual(["run-1/c/0/0/0", "run-1/c/0/0/10000"]);
    expect(asked.every((callId) => isCallIdOf(request.idempotencyKey, callId))).toBe(true);
  });

  it("is not what a retry continues, nor another node", async () => {
    const { adapter, sdk } = await open(callingThenHanging, finishing);
    const stop = new AbortController();
    const why: AbortReason = "stopped";
    await attempt(adapter, REQUEST, { signal: stop.signal, onPartial: () => stop.abort(why), turn });
    await attempt(adapter, { ...REQUEST, attempt: 2 }, { turn });
    await attempt(adapter, { ...REQUEST, idempotencyKey: "run-1/b/0" }, { turn });
    expect(sdk.sessions.slice(1).map(({ options }) => options.resume)).toEqual([undefined, undefined]);
    expect(readdirSync(directory)).toHaveLength(1);
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
  });

  it("is removed when it was not continued for a week", async () => {
    const [old, recent] = ["session-old", "session-recent"].map((name) => join(directory, name)) as [string, string];
    mkdirSync(old);
    mkdirSync(recent);
    const then = Date.now() / 1_000 - 8 * 24 * 3_600;
    utimesSync(old, then, then);
    await open(finishing);
    expect(readdirSync(directory)).toEqual(["session-recent"]);
    rmSync(recent, { recursive: true });
  });
});
