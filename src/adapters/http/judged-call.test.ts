import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stubRequest } from "../../../test/gateway/stub-adapter.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import { nodeCallOf } from "../../core/governance/index.ts";
import { readToolRequest } from "../mcp/tool-request.ts";
import { readCommandLine } from "../process/command-line.ts";
import { readCall } from "./call.ts";

const REQUEST = stubRequest({ provider: "http" });

const TARGETS = { billing: { url: "https://billing.example/" }, orders: { url: "https://orders.example/" } };

/** The request as it would be sent, with the name it was judged by. */
function judged(provider: string, sent: Partial<AdapterRequest>, ownModel: string | null = null): AdapterRequest {
  const { message = "", inputs = {}, model = null, stdin = null } = sent;
  const call = nodeCallOf({ provider, ownModel, model, message, stdin, inputs });
  return { ...REQUEST, ...sent, ...(call === null ? {} : { tool: call.name }) };
}

const call = (request: AdapterRequest) =>
  readCall(request, { targets: TARGETS, open: true }, () => () => undefined as never);
const complaint = (request: AdapterRequest): string => {
  const read = call(request);
  return read.ok ? read.value.url : (read.failure.message.split(":", 1)[0] ?? "");
};

describe("a call that is made", () => {
  it.each<[string, string | null, Partial<AdapterRequest>]>([
    ["https://billing.example/", null, { message: "POST billing" }],
    ["https://billing.example/", null, { message: "billing", model: "gpt-5" }],
    ["https://billing.example/", "billing", { message: "Pay it back", model: "billing" }],
    ["https://orders.example/", null, { inputs: { target: "orders" }, message: "billing" }],
    ["https://a.example./x", null, { inputs: { url: "https://a.example./x" } }],
    ["HTTPS://A.example:443/x", null, { message: "GET HTTPS://A.example:443/x" }],
    // What would go elsewhere than where it was judged to go is not sent.
    ["tool_mismatch", null, { message: "billing", model: "orders" }],
    ["tool_mismatch", "gpt-5", { message: "billing", model: "gpt-5" }],
    ["tool_mismatch", null, { inputs: { url: "https://b%69lling.example/" } }],
    ["tool_mismatch", null, { inputs: { url: " https://a.example/" } }],
    ["tool_mismatch", null, { inputs: { url: "https://x@a.example/" } }],
  ])("%s is the one that was judged", (expected, ownModel, sent) => {
    expect(complaint(judged("http", sent, ownModel))).toBe(expected);
  });

  it("of an MCP server or a program is the one that was judged, whatever the request is", () => {
    const word = fc.constantFrom("files/read", "pay/refund", "report", "", "x y", "a/b/c");
    const inputs = fc.record(
      { tool: word, command: word, args: fc.array(word), arguments: fc.dictionary(word, word), note: word },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        word,
        fc.option(word),
        inputs,
        fc.option(fc.constantFrom("{}", '{"a":1}', "no")),
        (message, model, given, stdin) => {
          const sent = {
            message,
            inputs: given,
            ...(model === null ? {} : { model }),
            ...(stdin === null ? {} : { stdin }),
          };
          const about = { ownModel: null, model, message, stdin, inputs: given };
          const tool = attempt(() => readToolRequest({ ...REQUEST, ...sent }));
          const asked = nodeCallOf({ ...about, provider: "mcp" });
          if (tool !== null) {
            expect([asked?.name, asked?.server, asked?.args]).toEqual([
              `${tool.server}/${tool.tool}`,
              tool.server,
              tool.arguments,
            ]);
          }
          const commands = { report: { argv: ["report"], args: { max: 9, pattern: ".*" } } };
          const line = readCommandLine({ ...REQUEST, ...sent }, { commands });
          if (line.ok) {
            const { name, args } = line.value;
            expect(nodeCallOf({ ...about, provider: "process" })).toMatchObject({ name, args: { args } });
          }
        },
      ),
    );
  });
});

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
