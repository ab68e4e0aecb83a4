import { type Thread, threadSchema } from "../../contract/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import { Refused } from "../problem.ts";
import { defineRoute, json, type Route } from "../route.ts";

const ATTEMPTS_MAX = 200;

export const threadRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/agents/{agentId}/threads/{sessionId}",
    operation: "agents.thread",
    summary: "Lists the messages of one thread of an agent, oldest first, from its newest 200 attempts.",
    permission: "run:read",
    replies: { 200: { description: "The thread", schema: threadSchema } },
    handle: async ({ services, principal, params: { agentId = "", sessionId = "" } }) => {
      const parts = await services.store.readThread(principal.orgId, agentId, sessionId, ATTEMPTS_MAX);
      if (parts.length === 0) throw new Refused("unknown_thread", `Agent "${agentId}" has no thread "${sessionId}".`);
      const thread: Thread = {
        agentId,
        sessionId,
        attempts: parts.map(({ runId, nodeId, attempt, at, messages }) => ({
          runId,
          nodeId,
          attempt,
          at: isoFromEpochMs(at),
          messages,
        })),
      };
      return json(thread);
    },
  }),
];
