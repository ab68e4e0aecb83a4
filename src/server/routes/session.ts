import { z } from "zod";
import { isoFromEpochMs } from "../../core/view/index.ts";
import { defineRoute, json, type Route } from "../route.ts";

const sessionSchema = z.object({
  organisation: z.string(),
  keyId: z.string(),
  label: z.string(),
  permissions: z.array(z.string()),
  agent: z.string().nullable().describe("The agent the key belongs to; null: a person"),
  expiresAt: z.iso.datetime().nullable(),
  connect: z.array(z.string()).describe("Origins besides this server that the console may call"),
});

export const sessionRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/session",
    operation: "session.get",
    summary: "Says who is asking, as far as the key tells.",
    permission: null,
    replies: { 200: { description: "The holder of the key", schema: sessionSchema } },
    handle: async ({ principal, services }) =>
      json({
        organisation: principal.orgId,
        keyId: principal.keyId,
        label: principal.label,
        permissions: [...principal.permissions],
        agent: principal.agentId,
        expiresAt: principal.expiresAt === null ? null : isoFromEpochMs(principal.expiresAt),
        connect: services.config.consoleConnect,
      }),
  }),
];
