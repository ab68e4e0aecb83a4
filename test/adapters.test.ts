import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkAdapter, type AdapterRequest, type ConformanceOptions } from "../src/adapter/index.ts";
import { openAdapters, readScript, type AdapterName } from "../src/adapters/index.ts";
import { createSystemClock } from "../src/clock/index.ts";
import type { JsonObject } from "../src/core/base/index.ts";
import { REPOSITORY } from "./law/source.ts";
import { startToolServer, type ToolServer } from "./mcp/http-server.ts";
import { GATEWAY_TOKEN, startGateway, type FakeGateway } from "./openclaw/gateway.ts";

let tools: ToolServer;
let gateway: FakeGateway;
let echo: Server;
let echoUrl: string;
const directory = mkdtempSync(join(tmpdir(), "sluice-adapters-"));

beforeAll(async () => {
  tools = await startToolServer();
  gateway = await startGateway(({ body }) => {
    const said = String(body["input"]);
    return { kind: "answer", pieces: ["You said: ", said], end: said.includes("SLOW") ? "hang" : "completed" };
  });
  echo = createServer((request, response) => {
    if (request.url === "/slow") return;
    request.setEncoding("utf8");
    let body = "";
    request.on("data", (piece: string) => (body += piece));
    request.on("end", () => response.setHeader("content-type", "text/plain").end(body));
  });
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  echoUrl = `http://127.0.0.1:${String((echo.address() as AddressInfo).port)}`;
});
afterAll(async () => {
  await tools.close();
  await gateway.close();
  echo.closeAllConnections();
  await new Promise((resolve) => echo.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

const SCRIPT = `
default: echo
nodes:
  slow: { hang: true }
  agent:
    rounds:
      - { text: Looking., calls: [{ tool: find, result: 1 }, { tool: search }], tokens: { input: 1, output: 2 } }
      - { calls: [{ tool: refund, args: { amount: 5 } }] }
      - { text: Done. }
  streams: { chunks: ["a", "b"], tokens: { input: 1, output: 2 }, cost_usd: 0.5 }
`;

async function check(name: AdapterName, section: JsonObject | null, options: ConformanceOptions) {
  const { script, problems } = readScript(SCRIPT);
  expect(problems).toEqual([]);
  const [adapter] = await openAdapters({
    names: [name],
    sections: { [name]: section ?? {} },
    env: { ANTHROPIC_API_KEY: "sk-ant-test-000000", OPENCLAW_GATEWAY_TOKEN: GATEWAY_TOKEN },
    clock: createSystemClock(),
    directory,
    script,
    ledger: null,
  });
  if (adapter === undefined) throw new Error("There is no adapter.");
  // A slow machine is no failure.
  return checkAdapter(adapter, { abortWithinMs: 60_000, ...options, ...(section === null ? {} : { config: section }) });
}

function failed(report: Awaited<ReturnType<typeof check>>): readonly unknown[] {
  return report.checks.filter(({ ok }) => ok === false);
}

/** Names of the checks that could not be made. */
function untested(report: Awaited<ReturnType<typeof check>>): readonly string[] {
  return report.checks.filter(({ ok }) => ok === null).map(({ name }) => name);
}

describe("the adapters that are shipped keep the promises of the interface", () => {
  it("scripted", async () => {
    const report = await check("scripted", null, {
      sample: (canary): Partial<AdapterRequest> => ({ message: canary }),
      slow: { stepId: "slow" },
      turn: { stepId: "agent" },
    });
    expect(failed(report)).toEqual([]);
    expect(untested(report)).toEqual(["refuses nonsense configuration", "usage", "partials", "log"]);
    const streaming = await check("scripted", null, { sample: { stepId: "streams" } });
    expect(failed(streaming)).toEqual([]);
    expect(untested(streaming)).not.toContain("usage");
    expect(untested(streaming)).not.toContain("partials");
  });

  it("http", async () => {
    const section = { targets: { echo: { url: `${echoUrl}/` }, slow: { url: `${echoUrl}/slow` } } };
    const report = await check("http", section, {
      sample: (canary): Partial<AdapterRequest> => ({ inputs: { target: "echo", body: canary } }),
      slow: { inputs: { target: "slow" } },
    });
    expect(failed(report)).toEqual([]);
    expect(untested(report)).toEqual(["usage", "partials", "log"]);
  });

  it("process", async () => {
    const section = { commands: { echo: { argv: ["/bin/cat"] }, slow: { argv: ["/bin/sleep", "600"] } } };
    const report = await check("process", section, {
      sample: (canary): Partial<AdapterRequest> => ({ inputs: { command: "echo" }, message: canary }),
      slow: { inputs: { command: "slow" } },
    });
    expect(failed(report)).toEqual([]);
    expect(untested(report)).toEqual(["usage", "log"]);
  });

  it("mcp", async () => {
    const report = await check(
      "mcp",
      { servers: { tools: { url: tools.url } } },
      {
        sample: (canary): Partial<AdapterRequest> => ({ inputs: { tool: "tools/echo", canary } }),
        slow: { inputs: { tool: "tools/hangs" } },
      },
    );
    expect(failed(report)).toEqual([]);
    expect(untested(report)).toEqual(["usage", "partials", "log"]);
  });

  it("claude-agent, with an SDK from a folder", async () => {
    const report = await check(
      "claude-agent",
      { sdk: join(REPOSITORY, "test/claude-agent"), tools: ["Read"] },
      {
        sample: (canary): Partial<AdapterRequest> => ({ message: canary }),
        slow: { message: "SLOW" },
        turn: { message: "READ it.", tools: ["Read"] },
      },
    );
    expect(failed(report)).toEqual([]);
    // A call that is held waits in the living session, which is lost with its process.
    expect(untested(report)).toEqual(["log", "turn: suspension", "turn: resume"]);
  });

  it("openclaw", async () => {
    const report = await check(
      "openclaw",
      { base_url: gateway.url },
      {
        sample: (canary): Partial<AdapterRequest> => ({ message: canary }),
        slow: { message: "SLOW" },
      },
    );
    expect(failed(report)).toEqual([]);
    expect(untested(report)).toEqual([]);
  });
});
