import { type Session, sessionSchema } from "../../contract/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import { defineRoute, json, type Route } from "../route.ts";

export const sessionRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/session",
    operation: "session.get",
    summary: "Shows the holder of the key.",
    permission: null,
    replies: { 200: { description: "The holder of the key", schema: sessionSchema } },
    handle: async ({ principal, services }) => {
      const session: Session = {
        organisation: principal.orgId,
        keyId: principal.keyId,
        label: principal.label,
        permissions: [...principal.permissions],
        agent: principal.agentId,
        expiresAt: principal.expiresAt === null ? null : isoFromEpochMs(principal.expiresAt),
        connect: services.config.consoleConnect,
        approvers: services.config.approvers,
      };
      return json(session);
    },
  }),
];
