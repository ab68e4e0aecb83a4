import type { z } from "zod";
import { type Hook, hookBody, hookSchema, savedHookSchema } from "../../contract/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { HookRecord } from "../../store/index.ts";
import { HOOK_OVERLAP_MS } from "../../outside/trigger/index.ts";
import { hookPlace } from "../../seal/index.ts";
import { newHookSecret } from "../../outside/webhook/index.ts";
import { noteChange } from "../audit-note.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { requireWorkflow } from "./workflows.ts";

/** Manages the secrets with which outside senders start runs. The messages themselves need no key. */
export const hookRoutes: readonly Route[] = [
  defineRoute({
    method: "PUT",
    path: "/hooks/{name}",
    operation: "hooks.save",
    summary:
      "Sets a secret with which signed messages start runs of a workflow. The previous secret is accepted for another day.",
    permission: "registry:write",
    body: { schema: hookBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: true },
    replies: {
      200: { description: "The secret is replaced", schema: savedHookSchema },
      201: { description: "The secret is new", schema: savedHookSchema },
    },
    handle: saveHook,
  }),
  defineRoute({
    method: "GET",
    path: "/hooks/{name}",
    operation: "hooks.get",
    summary: "Shows whether signed messages may start runs of a workflow.",
    permission: "workflow:read",
    replies: { 200: { description: "State of the hook", schema: hookSchema } },
    handle: async (call) => {
      const { services, principal, params } = call;
      const { name = "" } = params;
      await requireWorkflow(call, name);
      return json(hookOnWire(call, name, await services.store.getHook(principal.orgId, name)));
    },
  }),
  defineRoute({
    method: "DELETE",
    path: "/hooks/{name}",
    operation: "hooks.delete",
    summary: "Deletes the secret. Messages no longer start runs of the workflow.",
    permission: "registry:write",
    replies: { 204: { description: "The secret is deleted", schema: null } },
    handle: async ({ services, principal, params: { name = "" } }) => {
      const isGone = await services.store.deleteHook(principal.orgId, name);
      if (!isGone) throw new Refused("unknown_hook", `"${name}" has no hook.`);
      await noteChange(services, principal, "config.applied", `hook/${name}`, { action: "deleted" });
      return new Response(null, { status: 204 });
    },
  }),
];

type AnyCall = Pick<Call<unknown, unknown>, "services" | "principal" | "params">;

async function saveHook(call: AnyCall & { readonly body: z.output<typeof hookBody> }): Promise<Response> {
  const { services, principal, params, body } = call;
  const { name = "" } = params;
  const { orgId } = principal;
  await requireWorkflow(call, name);
  const before = await services.store.getHook(orgId, name);
  const secret = body.secret ?? newHookSecret();
  const at = services.config.now();
  const hook: HookRecord = {
    orgId,
    workflow: name,
    secret: services.gateways.box.seal(secret, hookPlace(orgId, name)),
    previousSecret: before?.secret ?? null,
    previousUntil: before === undefined ? null : at + HOOK_OVERLAP_MS,
    savedBy: principal.keyId,
    createdAt: before?.createdAt ?? at,
    updatedAt: at,
  };
  await services.store.putHook(hook);
  const action = before === undefined ? "created" : "updated";
  await noteChange(services, principal, "config.applied", `hook/${name}`, { action });
  const made = body.secret === undefined ? { secret } : {};
  return json({ ...hookOnWire(call, name, hook), ...made }, before === undefined ? 201 : 200);
}

function hookOnWire({ services, principal }: AnyCall, workflow: string, hook: HookRecord | undefined): Hook {
  const org = encodeURIComponent(principal.orgId);
  return {
    workflow,
    set: hook !== undefined,
    url: `${services.gateways.publicUrl}/api/v1/hooks/${encodeURIComponent(workflow)}?org=${org}`,
    createdAt: iso(hook?.createdAt),
    updatedAt: iso(hook?.updatedAt),
    previousUntil: iso(hook?.previousUntil),
  };
}

function iso(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : isoFromEpochMs(at);
}
