import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { callTool, createStage, say, sayJson, VENDORS } from "../../../test/providers/index.ts";
import {
  type AdapterRequest,
  type CallRuling,
  type RoundReply,
  type RoundReport,
  TrialJudge,
  type TrialJudgeOptions,
} from "../../adapter/index.ts";
import type { Json, JsonObject } from "../../core/base/index.ts";
import type { ModelTool, ToolOpener } from "./model-tools.ts";

const { play, clear } = createStage();
afterEach(clear);

const KEY = "key-1";
const FIND = "orders__find";
const REFUND = "orders__refund";

interface Made {
  readonly tool: string;
  readonly args: JsonObject;
  readonly callId: string;
}

function shop(answer: (made: Made) => Json = ({ tool }) => ({ done: tool })) {
  const made: Made[] = [];
  const tool = (name: string): ModelTool => ({
    tool: name,
    server: "orders",
    inputSchema: { type: "object", properties: { amount: { type: "number" } } },
    hints: { readOnly: name === "find" },
    execute: (args, _, callId) => {
      made.push({ tool: name, args, callId });
      return Promise.resolve(answer({ tool: name, args, callId }));
    },
  });
  const opener: ToolOpener = () =>
    Promise.resolve({ tools: { [FIND]: tool("find"), [REFUND]: tool("refund") }, close: () => Promise.resolve() });
  return { made, opener };
}

function judgeOf(options: Omit<TrialJudgeOptions, "idempotencyKey"> = {}) {
  const judge = new TrialJudge({ idempotencyKey: KEY, ...options });
  const reports: RoundReport[] = [];
  const turn = {
    ...judge.hooks,
    round: (report: RoundReport) => {
      reports.push(report);
      return judge.hooks.round(report);
    },
  };
  return { judge, reports, turn };
}

const calls = (...each: readonly (readonly [string, string])[]) => ({
  ...say("Let me see."),
  toolCalls: each.map(([name, args], index) => ({ id: `call_${name}_${index}`, name, args })),
});

const REQUEST: Partial<AdapterRequest> = { tools: ["orders/find", "orders/refund"] };

describe.each(VENDORS)("the turn of $name", (vendor) => {
  it("reports every round with what it used, and nothing twice", async () => {
    const { made, opener } = shop();
    const { judge, reports, turn } = judgeOf();
    const script = [calls([FIND, '{"order":7}'], [REFUND, '{"amount":5}']), say("Refunded.")];
    const { result, partials } = await play(vendor, script, REQUEST, { adapter: { tools: opener }, turn });
    expect(result).toMatchObject({ status: "completed", stdout: "Refunded." });
    expect(result).not.toHaveProperty("inputTokens");
    expect(partials.join("")).toBe("Let me see.Refunded.");
    expect(reports).toMatchObject([
      { round: 0, finish: "tool_calls", text: "Let me see.", inputTokens: 100, outputTokens: 20 },
      { round: 1, finish: "stop", text: "Refunded.", calls: [], inputTokens: 100 },
    ]);
    expect(reports[0]?.calls).toMatchObject([
      { tool: "find", server: "orders", args: { order: 7 }, hints: { readOnly: true }, schema: { type: "object" } },
      { tool: "refund", server: "orders", args: { amount: 5 } },
    ]);
    expect(made.map(({ callId }) => callId)).toEqual([`${KEY}/0/0`, `${KEY}/0/1`]);
    expect(judge.steps.map(({ kind }) => kind)).toEqual(["round", "result", "result", "round"]);
  });

  it("gives denials and changes to the model", async () => {
    const { made, opener } = shop();
    const { turn } = judgeOf({
      rule: ({ tool }) =>
        tool === "find"
          ? { disposition: "deny", reason: "Not on Sundays." }
          : { disposition: "allow", args: { amount: 450 }, note: "A person made it 450." },
    });
    const script = [calls([FIND, "{}"], [REFUND, '{"amount":900}']), say("Well.")];
    const { result, server } = await play(vendor, script, REQUEST, { adapter: { tools: opener }, turn });
    expect(result).toMatchObject({ status: "completed", stdout: "Well." });
    expect(made).toEqual([{ tool: "refund", args: { amount: 450 }, callId: `${KEY}/0/1` }]);
    const second = JSON.stringify(server.calls[1]?.body);
    expect(second).toContain("Not on Sundays.");
    expect(second).toContain("A person made it 450.");
  });

  it("suspends, and another adapter continues from what was reported", async () => {
    const { made, opener } = shop();
    const { judge, reports, turn } = judgeOf({
      rule: ({ tool }) => ({ disposition: tool === "refund" ? "suspend" : "allow" }),
    });
    const first = [calls([FIND, '{"order":7}']), calls([REFUND, '{"amount":900}'], [FIND, "{}"])];
    const held = await play(vendor, first, REQUEST, { adapter: { tools: opener }, turn });
    expect(held.result).toEqual({ status: "suspended" });
    expect(made.map(({ tool }) => tool)).toEqual(["find", "find"]);
    judge.answer(`${KEY}/1/0`, { disposition: "allow", args: { amount: 450 }, note: "Changed." });
    const resume = JSON.parse(JSON.stringify(judge.resume())) as AdapterRequest["resume"];
    const again = { ...REQUEST, resume, segment: 1 };
    const { result, server } = await play(vendor, [say("Done.")], again, { adapter: { tools: opener }, turn });
    expect(result).toMatchObject({ status: "completed", stdout: "Done." });
    expect(made.slice(2)).toEqual([{ tool: "refund", args: { amount: 450 }, callId: `${KEY}/1/0` }]);
    expect(server.calls).toHaveLength(1);
    expect(reports.map(({ round }) => round)).toEqual([0, 1, 2]);
    const body = JSON.stringify(server.calls[0]?.body);
    for (const piece of ["call_orders__find_0", "call_orders__refund_0", "Changed.", "Let me see."]) {
      expect(body).toContain(piece);
    }
    expect(result).toHaveProperty("messages.length", 7);
  });

  it("leaves unknown tools and many calls to the judge", async () => {
    const { made, opener } = shop();
    const { judge, turn } = judgeOf({ rule: () => ({ disposition: "deny", reason: "It is not among the tools." }) });
    const many = Array.from({ length: 51 }, (): [string, string] => [FIND, "{}"]);
    const script = [calls(["rob_bank", "{}"]), calls(["rob_bank", "{}"]), calls(...many), say("Well.")];
    const { result } = await play(vendor, script, REQUEST, { adapter: { tools: opener }, turn });
    expect(result).toMatchObject({ status: "completed", stdout: "Well." });
    expect([judge.calls.length, made]).toEqual([53, []]);
  });

  it("answers the model what is wrong with its arguments, without an approval", async () => {
    const { made, opener } = shop();
    const { judge, turn } = judgeOf();
    const script = [
      calls([REFUND, '{"amount":'], [REFUND, '{"amount":"9"}'], [REFUND, "[1]"], [FIND, "{}"]),
      say("Sorry."),
    ];
    const { result, server } = await play(vendor, script, REQUEST, { adapter: { tools: opener }, turn });
    expect(result).toMatchObject({ status: "completed", stdout: "Sorry." });
    expect(made.map(({ tool }) => tool)).toEqual(["find"]);
    expect(judge.calls.map(({ call }) => call.tool)).toEqual(["find"]);
    expect(JSON.stringify(server.calls[1]?.body)).toContain("must be number");
  });

  it("continues after a stream that broke off, and charges what no round has", async () => {
    const { made, opener } = shop();
    const { judge, reports, turn } = judgeOf();
    const script = [calls([FIND, "{}"]), { ...say("abcdefgh"), end: "cut" as const }];
    const broken = await play(vendor, script, REQUEST, { adapter: { tools: opener }, turn });
    expect(broken.result).toMatchObject({ status: "failed", failure: "provider_error" });
    expect(broken.result).toHaveProperty("outputTokens");
    expect(reports).toHaveLength(1);
    const again = { ...REQUEST, resume: judge.resume(), attempt: 2 };
    const { result, server } = await play(vendor, [say("Done.")], again, { adapter: { tools: opener }, turn });
    expect(result).toMatchObject({ status: "completed", stdout: "Done." });
    expect(server.calls).toHaveLength(1);
    expect(made).toHaveLength(1);
  });

  it("makes no call of a message that broke off after its calls", async () => {
    const { made, opener } = shop();
    const { reports, turn } = judgeOf();
    const script = [{ ...calls([FIND, '{"order":7}'], [REFUND, '{"amount":5}']), end: "cut" as const }];
    const { result } = await play(vendor, script, REQUEST, { adapter: { tools: opener }, turn });
    expect(result).toMatchObject({ status: "failed", failure: "provider_error" });
    expect([reports, made]).toEqual([[], []]);
  });

  it("offers the tools of its step, and takes their results as the server gives them", async () => {
    const { judge, turn } = judgeOf();
    const convert = { name: "convert", description: "To euros.", parameters: { type: "object" } };
    const stepTools = [convert, { name: "workflow:pay", parameters: { type: "object" } }];
    const answered = {
      disposition: "allow",
      args: {},
      callId: `${KEY}/0/0`,
      result: { result: { euros: 4 }, isError: false },
    };
    const round = async (report: RoundReport): Promise<RoundReply> => {
      const reply = await turn.round(report);
      return reply.next === "go" && report.round === 0 ? { next: "go", rulings: [answered as CallRuling] } : reply;
    };
    const request = { tools: ["convert", "workflow:pay"], stepTools };
    const script = [calls(["convert", '{"dollars":2}']), say("4 euros.")];
    const { result, server } = await play(vendor, script, request, { turn: { ...turn, round } });
    expect(result).toMatchObject({ status: "completed", stdout: "4 euros." });
    expect(JSON.stringify(server.calls[0]?.body)).toMatch(/To euros\..*workflow_pay/);
    expect(JSON.stringify(server.calls[1]?.body)).toContain("euros");
    expect(judge.hasResult(`${KEY}/0/0`)).toBe(false);
  });

  it("reports no round for a refusal", async () => {
    const { reports, turn } = judgeOf();
    const refusing = [calls([FIND, "{}"]), { ...say("No."), finish: "filter" as const }];
    const { result } = await play(vendor, refusing, REQUEST, { adapter: { tools: shop().opener }, turn });
    expect(result).toMatchObject({ status: "failed", failure: "provider_refused" });
    expect(reports).toHaveLength(1);
  });

  it("holds the answer to its contract: a correction is a round, also after a loss", async () => {
    const outputSchema = { type: "object", properties: { sky: { type: "string" } }, required: ["sky"] };
    const asked = { ...REQUEST, outputStrategy: "json" as const, outputSchema };
    const { judge, reports, turn } = judgeOf({
      watch: ({ kind }, when) => {
        if (kind === "round" && when === "after" && judge.rounds === 2) throw new Error("The process was killed.");
      },
    });
    const adapter = { tools: shop().opener };
    const lost = await play(vendor, [calls([FIND, "{}"]), say("blue")], asked, { adapter, turn });
    expect(lost.result).toMatchObject({ status: "failed", failure: "cancelled" });
    const again = { ...asked, resume: judge.resume(), segment: 1 };
    const { result, server } = await play(vendor, [sayJson({ sky: "blue" })], again, { adapter, turn });
    expect(result).toMatchObject({ status: "completed", outputs: { sky: "blue" } });
    expect(server.calls).toHaveLength(1);
    expect(JSON.stringify(server.calls[0]?.body)).toContain("does not fit what was asked for");
    expect(reports.map(({ round }) => round)).toEqual([0, 1, 2]);
  });

  it("ends when the engine wants nothing more of it", async () => {
    const { made, opener } = shop();
    const { turn } = judgeOf({
      watch: () => {
        throw new Error("The attempt is over.");
      },
    });
    const { result, server } = await play(vendor, [callTool(FIND, "{}")], REQUEST, {
      adapter: { tools: opener },
      turn,
    });
    expect(result).toMatchObject({ status: "failed", failure: "cancelled" });
    expect(server.calls).toHaveLength(1);
    expect(made).toEqual([]);
  });
});

describe("HTTP tools", () => {
  const vendor = VENDORS.find(({ name }) => name === "local");
  if (vendor === undefined) throw new Error("a vendor is missing");
  let service: Server | undefined;
  afterEach(
    () => new Promise((resolve) => (service === undefined ? resolve(null) : service.close(() => resolve(null)))),
  );

  async function start(status = 200) {
    const seen: { method: string; url: string; key: unknown; secret: unknown; body: string }[] = [];
    service = createServer((request, response) => {
      let body = "";
      request.on("data", (piece: Buffer) => (body += piece.toString()));
      request.on("end", () => {
        const { method = "", url = "", headers } = request;
        seen.push({ method, url, key: headers["idempotency-key"], secret: headers["x-token"], body });
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify({ ok: true, echoed: headers["x-token"] }));
      });
    });
    await new Promise((resolve) => service?.listen(0, "127.0.0.1", () => resolve(null)));
    return { seen, base: `http://127.0.0.1:${(service.address() as AddressInfo).port}` };
  }

  const script = [
    {
      ...say(),
      toolCalls: [
        { id: "a", name: "refund", args: '{"amount":5}' },
        { id: "b", name: "find", args: '{"order":"7 8"}' },
      ],
    },
    say("Done."),
  ];

  it("are called with the id of the call as their key, and give no secret away", async () => {
    const { seen, base } = await start();
    const { turn } = judgeOf();
    const args = { type: "object", properties: { amount: { type: "number" } } };
    const http_tools = {
      refund: { url: `${base}/refunds`, description: "Refunds.", args, headers: { "X-Token": "secret://SHOP_TOKEN" } },
      find: { url: `${base}/orders`, method: "GET" },
    };
    const { result, server } = await play(
      vendor,
      script,
      { tools: ["refund", "find"] },
      {
        config: { http_tools },
        adapter: { env: { LOCAL_KEY: "k", SHOP_TOKEN: "swordfish" } },
        turn,
      },
    );
    expect(result).toMatchObject({ status: "completed", stdout: "Done." });
    expect(seen.toSorted((left, right) => left.url.localeCompare(right.url))).toEqual([
      { method: "GET", url: "/orders?order=7+8", key: `${KEY}/0/1`, secret: undefined, body: "" },
      { method: "POST", url: "/refunds", key: `${KEY}/0/0`, secret: "swordfish", body: '{"amount":5}' },
    ]);
    expect(JSON.stringify(server.calls[1]?.body)).not.toContain("swordfish");
  });

  it("report what went wrong to the model", async () => {
    const { base } = await start(500);
    const http_tools = { refund: { url: base }, find: { url: base, headers: { "X-Token": "secret://MISSING" } } };
    const { result, server } = await play(vendor, script, { tools: ["refund", "find"] }, { config: { http_tools } });
    expect(result).toMatchObject({ status: "completed", stdout: "Done." });
    const second = JSON.stringify(server.calls[1]?.body);
    expect(second).toContain("status 500");
    expect(second).toContain("MISSING");
  });

  it("are ended when the time their ruling gives them is over", async () => {
    let [begun, closed] = [0, 0];
    const { base } = await start();
    service?.removeAllListeners("request");
    service?.on("request", (_, response: ServerResponse) => {
      begun += 1;
      response.on("close", () => (closed += 1));
    });
    const { judge, turn } = judgeOf({ rule: () => ({ disposition: "allow", timeoutMs: 500 }) });
    const http_tools = { refund: { url: base }, find: { url: base } };
    const { result, server } = await play(vendor, script, { tools: ["*"] }, { config: { http_tools }, turn });
    expect(result).toMatchObject({ status: "completed", stdout: "Done." });
    expect(JSON.stringify(server.calls[1]?.body)).toContain("tool_timeout: refund did not answer within 500 ms");
    expect([judge.hasResult(`${KEY}/0/0`), judge.hasResult(`${KEY}/0/1`)]).toEqual([true, true]);
    // On a slow machine a call may be ended before its service has seen it.
    await expect.poll(() => closed).toBe(begun);
  });

  it("may be named by a pattern", async () => {
    const { seen, base } = await start();
    const http_tools = { refund: { url: base }, find: { url: base, method: "GET" } };
    const { result } = await play(vendor, script, { tools: ["*"] }, { config: { http_tools } });
    expect(result).toMatchObject({ status: "completed", stdout: "Done." });
    expect(seen).toHaveLength(2);
    const none = await play(vendor, [], { tools: ["order*"] }, { config: { http_tools } });
    expect(none.result).toMatchObject({ status: "failed", failure: "provider_refused" });
  });

  it("are refused where they do not exist, and configured with care", async () => {
    const http_tools = { find: { url: "http://127.0.0.1:9/" } };
    const { result } = await play(vendor, [], { tools: ["find", "orders/find"] }, { config: { http_tools } });
    expect(result).toMatchObject({ status: "failed", failure: "provider_refused" });
    await expect(play(vendor, [], {}, { config: { http_tools: { "a b": { url: "x" } } } })).rejects.toThrow(
      "http_tools",
    );
    const odd = { find: { url: "http://127.0.0.1/", args: { type: "array" } } };
    await expect(play(vendor, [], {}, { config: { http_tools: odd } })).rejects.toThrow("http_tools.find.args");
  });
});
