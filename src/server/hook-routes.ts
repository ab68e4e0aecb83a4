import { randomUUID } from "node:crypto";
import { digestJson, isJsonObject, type Json } from "../core/base/index.ts";
import type { Delivered } from "../registry/index.ts";
import {
  deliveryIdOf,
  findSigner,
  type HookCandidate,
  type IncomingMessage,
  lackingHeaders,
} from "../outside/trigger/index.ts";
import { readBody } from "./body.ts";
import { bodyRuleOf, deliveredBy, readSentValue } from "./hook-body.ts";
import type { OpenRoute } from "./open-routes.ts";
import { Refused } from "./problem.ts";
import { json, type Services } from "./route.ts";
import { requireKnown } from "./shape.ts";
import { answerDelivery } from "./trigger-answer.ts";
import { addressOf, hookCandidates } from "./trigger-lookup.ts";

/** Routes for messages from outside, authenticated by their signature or their address instead of a key. */
export const HOOK_ROUTES: readonly OpenRoute[] = [
  { method: "POST", path: "/api/v1/hooks/{name}", handle: takeMessage },
  { method: "POST", path: "/api/v1/hooks/{name}/{path}", handle: takeMessage },
];

async function takeMessage(services: Services, request: Request): Promise<Response> {
  const address = addressOf(request, "hooks");
  const candidates = await hookCandidates(services, address);
  const isOnlyOfWorkflows = candidates.every(({ trigger }) => trigger.origin === "hook");
  if (isOnlyOfWorkflows) requireKnown(address.query, ["org"]);
  const noteRejection = (refused: Refused): Refused => {
    const reason = refused.code === "bad_timestamp" ? refused.code : "bad_signature";
    for (const { orgId, trigger } of candidates) services.hookFailures.note(services, { orgId, ...trigger }, reason);
    return refused;
  };
  const header = (name: string): string | null => request.headers.get(name);
  const lacking = lackingHeaders(candidates, header);
  if (lacking.length > 0) {
    throw noteRejection(new Refused("bad_signature", `The message lacks the header ${lacking.join(" and ")}.`));
  }
  const { type, bytes } = await readBody(request, bodyRuleOf(isOnlyOfWorkflows));
  const message: IncomingMessage = { header, body: bytes };
  const found = findSigner(candidates, message, services.config.now());
  if ("reason" in found) throw noteRejection(unbelieved(found.reason));
  return takeVerified(services, found.candidate, message, { type, request, query: address.query });
}

interface Sent {
  readonly type: string;
  readonly request: Request;
  readonly query: URLSearchParams;
}

/** Processes a message of a verified sender. Its body is parsed only now. */
async function takeVerified(
  services: Services,
  { orgId, trigger }: HookCandidate,
  message: IncomingMessage,
  { type, request, query }: Sent,
): Promise<Response> {
  if (!trigger.isEnabled) throw new Refused("trigger_disabled", `The trigger "${trigger.name}" is disabled.`);
  const around = deliveredBy(request, query);
  const refuse = async (refused: Refused): Promise<Refused> => {
    const id = deliveryIdOf(trigger.on, message, { ...around, body: null }) ?? randomUUID();
    await services.triggers.refuse(orgId, trigger, id, refused.code, refused.message);
    return refused;
  };
  let body: Json;
  try {
    body = readSentValue(type, message.body, trigger.origin === "hook");
  } catch (error) {
    throw error instanceof Refused ? await refuse(error) : error;
  }
  const delivered: Delivered = { ...around, body };
  const challenge = trigger.on.verify === "slack" ? challengeOf(body) : null;
  if (challenge !== null) return json({ challenge });
  const deliveryId = deliveryIdOf(trigger.on, message, delivered);
  if (deliveryId === null) {
    const { part, path } = trigger.on.idFrom ?? { part: "body", path: [] };
    const detail = `The message has no id at ${[part, ...path].join(".")}: a text of 1 to 255 printable ASCII characters.`;
    throw await refuse(new Refused("invalid_request", detail));
  }
  // For a workflow's hook, another body under the same id is a conflict.
  const bodyHash = trigger.origin === "hook" ? { bodyHash: digestJson(body) } : {};
  const result = await services.triggers.start({ orgId, trigger, delivered, deliveryId, ...bodyHash });
  return answerDelivery(services, orgId, trigger, result);
}

/** Returns the challenge that Slack sends once, when an address is entered. */
function challengeOf(body: Json): string | null {
  if (!isJsonObject(body) || body["type"] !== "url_verification") return null;
  const { challenge } = body;
  return typeof challenge === "string" ? challenge : null;
}

function unbelieved(reason: "bad_signature" | "bad_timestamp"): Refused {
  if (reason === "bad_signature") {
    return new Refused(
      reason,
      "The signature or the credentials do not fit the message under the secret of this hook.",
    );
  }
  return new Refused(reason, "The message was signed more than five minutes away from now; send it anew.");
}
