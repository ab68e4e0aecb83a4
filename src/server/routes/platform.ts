import type { z } from "zod";
import { platformBody, platformSchema, type PlatformState } from "../../contract/index.ts";
import { auditEntry } from "../../core/audit/index.ts";
import type { Platform } from "../../core/governance/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";

export const platformRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/platform",
    operation: "platform.get",
    summary: "Shows whether the platform is open.",
    permission: "governance:read",
    replies: { 200: { description: "State of the platform", schema: platformSchema } },
    handle: async ({ services, principal }) => json(onWire(await services.store.getPlatform(principal.orgId))),
  }),
  defineRoute({
    method: "PUT",
    path: "/platform",
    operation: "platform.save",
    summary: "Closes or opens the platform: at once in this process, within two seconds in others.",
    permission: "governance:write",
    body: { schema: platformBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: { 200: { description: "State of the platform", schema: platformSchema } },
    handle: save,
  }),
];

async function save({ services, principal, body }: Call<z.output<typeof platformBody>, undefined>): Promise<Response> {
  const { orgId, keyId } = principal;
  const platform: Platform = { isOpen: body.open, reason: body.reason ?? null };
  const at = services.config.now();
  const detail = { open: platform.isOpen, reason: platform.reason };
  const entry = auditEntry({ at, type: "platform.changed", actor: keyId, resource: "organisation/platform", detail });
  await services.store.putPlatform(orgId, platform, [entry]);
  await services.governance.registered.refresh(orgId);
  return json(onWire(platform));
}

function onWire({ isOpen, reason }: Platform): PlatformState {
  return { open: isOpen, reason };
}
