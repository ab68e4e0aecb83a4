import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { ApiProblem, type SluiceClient } from "../client/index.ts";
import { digestText, type Json, type JsonObject, LIMITS } from "../core/base/index.ts";
import { approvalTools } from "./approval-tools.ts";
import type { OfferCache } from "./offer.ts";
import type { OpenCalls } from "./open-calls.ts";
import { listResources, protocolError, readResource, TEMPLATES } from "./resources.ts";
import { runTools } from "./run-tools.ts";
import type { FixedTool, Progress, ToolCall } from "./tool.ts";
import { refusal, type Trouble, troubleResult } from "./tool-result.ts";
import { callWorkflowTool, listWorkflowTools } from "./workflow-tool.ts";
import { workflowTools } from "./workflow-tools.ts";

export interface McpServerParts {
  /** The API under the caller's key. Every tool call is a request to it. */
  readonly api: SluiceClient;
  readonly offers: OfferCache;
  /** Unique id of a connection, within which every call has a different id; null when there is none. */
  readonly connection: string | null;
  /** Open calls that a caller can cancel by a separate request; null when the connection itself delivers cancellations. */
  readonly calls: { readonly open: OpenCalls; readonly session: string } | null;
  /** Whether the caller is notified when the list of tools changes. */
  readonly announces: boolean;
  /** Called before the list of tools is sent. */
  readonly onListing?: () => Promise<void>;
  /** Describes an error that is not an answer of the API; null when it is a bug. */
  readonly explain: (error: unknown) => Trouble | null;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const FIXED: ReadonlyMap<string, FixedTool> = new Map(
  [...workflowTools, ...runTools, ...approvalTools].map((tool) => [tool.listed.name, tool]),
);

const TOO_DEEP = `The arguments are nested deeper than ${LIMITS.valueDepthMax} levels.`;

const INSTRUCTIONS =
  "Workflows of AI agents, run as durable graphs in which every node passes governance gates before it acts. Each " +
  "exposed workflow is a tool run_<name>; it waits for the run and answers with status, outputs and cost. A run that " +
  "needs a person says so in waitingFor: show the person what is asked, and answer with resolve_approval only in their " +
  "name. What is refused says why and what would unblock it; trying again without that is of no use.";

/** Creates the MCP server for one request or one connection. It translates MCP to requests to the API. */
export function createMcpServer(parts: McpServerParts): Server {
  const { api, offers } = parts;
  const server = new Server(
    { name: "sluice", title: "Sluice", version: "1" },
    {
      capabilities: { tools: parts.announces ? { listChanged: true } : {}, resources: {} },
      instructions: INSTRUCTIONS,
    },
  );
  server.setRequestHandler("tools/list", async ({ params }) => {
    const cursor = params?.cursor ?? null;
    if (cursor === null) await parts.onListing?.();
    const { tools, nextCursor } = await listWorkflowTools(api, offers, cursor).catch((error: unknown) => {
      throw protocolErrorOf(parts, error);
    });
    const fixed = cursor === null ? [...FIXED.values()].map(({ listed }) => listed) : [];
    return { tools: [...fixed, ...tools], ...(nextCursor === null ? {} : { nextCursor }) };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { call, end } = callOf(parts, context);
    try {
      const result = await callTool(parts, params.name, (params.arguments ?? {}) as JsonObject, call);
      return server.projectCallToolResult(result, undefined);
    } finally {
      end();
    }
  });
  const { calls } = parts;
  if (calls !== null) {
    server.setNotificationHandler("notifications/cancelled", ({ params }) => {
      if (params.requestId !== undefined) calls.open.takeBack(calls.session, params.requestId);
    });
  }
  server.setRequestHandler("resources/list", ({ params }) =>
    listResources(api, params?.cursor ?? null).catch((error: unknown) => {
      throw protocolErrorOf(parts, error);
    }),
  );
  server.setRequestHandler("resources/templates/list", () => TEMPLATES);
  server.setRequestHandler("resources/read", ({ params }) =>
    readResource(api, params.uri).catch((error: unknown) => {
      throw protocolErrorOf(parts, error);
    }),
  );
  return server;
}

async function callTool(
  parts: McpServerParts,
  name: string,
  given: JsonObject,
  call: ToolCall,
): Promise<CallToolResult> {
  if (isTooDeep(given)) return troubleResult({ code: "invalid_request", message: TOO_DEEP });
  try {
    const fixed = FIXED.get(name);
    const result =
      fixed === undefined ? await callWorkflowTool(parts.offers, name, given, call) : await fixed.call(given, call);
    if (result !== null) return result;
  } catch (error) {
    if (isAnswer(error)) return refusal(error);
    return troubleResult(troubleOf(parts, `the tool ${name}`, error));
  }
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool "${name}"; tools/list shows those there are.`,
  );
}

interface OpenedCall {
  readonly call: ToolCall;
  readonly end: () => void;
}

function callOf({ api, connection, calls }: McpServerParts, { mcpReq }: ServerContext): OpenedCall {
  const { id, _meta: meta } = mcpReq;
  const token = meta?.progressToken;
  const opened = calls?.open.begin(calls.session, id, mcpReq.signal);
  const { signal } = opened ?? mcpReq;
  const report = ({ done, total, message }: Progress): void => {
    if (token === undefined || signal.aborted) return;
    const params = { progressToken: token, progress: done, total, message };
    // If the caller has disconnected, the notification is lost and the signal ends the call.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  const idempotencyKey = connection === null ? null : digestText(`mcp ${connection} ${typeof id} ${id}`);
  return { call: { api, signal, report, idempotencyKey }, end: () => opened?.end() };
}

function protocolErrorOf(parts: McpServerParts, error: unknown): unknown {
  if (isAnswer(error) || error instanceof ProtocolError) return protocolError(error);
  const { code, message } = troubleOf(parts, "a list or resource", error);
  return new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`, { code });
}

/** Whether the error is an answer of the API. Other errors may contain details that a client must not see. */
function isAnswer(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && error.status !== 0;
}

function troubleOf({ explain, onTrouble }: McpServerParts, what: string, error: unknown): Trouble {
  const explained = explain(error);
  if (explained !== null) return explained;
  onTrouble(what, error instanceof ApiProblem ? (error.cause ?? error) : error);
  return { code: "internal_error", message: "Something went wrong inside Sluice." };
}

/** Checks the depth level by level, because a recursive check could exhaust the stack. */
function isTooDeep(value: Json): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; depth <= LIMITS.valueDepthMax; depth += 1) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values<Json>(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
