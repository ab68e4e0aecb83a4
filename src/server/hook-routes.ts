import { digestJson, isJsonObject, type JsonObject } from "../core/base/index.ts";
import type { Hook } from "../store/index.ts";
import { argsOfMessage, findSigner, type IncomingMessage } from "../outside/webhook/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE, parseJson, readBody } from "./body.ts";
import { launchedRun } from "./launch-reply.ts";
import type { OpenRoute } from "./open-routes.ts";
import { Refused } from "./problem.ts";
import type { Services } from "./route.ts";
import { requireKnown } from "./shape.ts";

/** Messages from outside, known by their signature and not by a key. */
export const HOOK_ROUTES: readonly OpenRoute[] = [
  { method: "POST", path: "/api/v1/hooks/{name}", handle: takeMessage },
];

/** A message without an organisation is checked against every organisation with this workflow, up to so many. */
const SIGNERS_MAX = 20;
const ID = /^[\x21-\x7e]{1,255}$/;
const SIGNATURES_LENGTH_MAX = 4_000;

async function takeMessage(services: Services, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  requireKnown(searchParams, ["org"]);
  const workflow = nameOf(pathname);
  const hooks = await hooksOf(services, workflow, searchParams.get("org"));
  const doubt = (refused: Refused): Refused => {
    const reason = refused.code === "bad_timestamp" ? refused.code : "bad_signature";
    for (const hook of hooks) services.hookFailures.note(services, hook, reason);
    return refused;
  };
  const message = await readMessage(request, doubt);
  const now = services.config.now();
  const found = findSigner(hooks, message, services.gateways.box, now);
  if ("reason" in found) throw doubt(unbelieved(found.reason));
  const { orgId } = found.hook;
  const body = readObject(message.body);
  const by = `hook:${workflow}`;
  const result = await services.launcher.launch({
    orgId,
    workflow,
    args: argsOfMessage(body, await declaredArgs(services, orgId, workflow)),
    trigger: "hook",
    startedBy: by,
    idempotency: { orgId, keyId: by, workflow, key: message.id, bodyHash: digestJson(body) },
  });
  return launchedRun(result, now);
}

function nameOf(pathname: string): string {
  try {
    return decodeURIComponent(pathname.split("/").at(-1) ?? "");
  } catch {
    return "";
  }
}

async function hooksOf({ store }: Services, workflow: string, orgId: string | null): Promise<readonly Hook[]> {
  const named = orgId === null ? undefined : await store.getHook(orgId, workflow);
  const hooks = orgId === null ? await store.findHooks(workflow, SIGNERS_MAX) : named === undefined ? [] : [named];
  if (hooks.length > 0) return hooks;
  const detail = "No workflow of this name takes messages; its owner can let it with PUT on this address.";
  throw new Refused("unknown_hook", detail);
}

/** Without what a message must carry, it is refused before any secret is tried. */
async function readMessage(request: Request, doubt: (refused: Refused) => Refused): Promise<IncomingMessage> {
  const header = (name: string): string => request.headers.get(`webhook-${name}`) ?? "";
  const [id, timestamp, signatures] = [header("id"), header("timestamp"), header("signature")];
  if (id === "" || timestamp === "" || signatures === "") {
    const detail = "A message has the headers webhook-id, webhook-timestamp and webhook-signature.";
    throw doubt(new Refused("bad_signature", detail));
  }
  if (!ID.test(id)) throw doubt(new Refused("bad_signature", "A webhook-id has 1 to 255 printable ASCII characters."));
  if (signatures.length > SIGNATURES_LENGTH_MAX) throw doubt(unbelieved("bad_signature"));
  const rule = { bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false };
  const { bytes } = await readBody(request, rule);
  return { id, timestamp, signatures, body: bytes };
}

function unbelieved(reason: "bad_signature" | "bad_timestamp"): Refused {
  if (reason === "bad_signature") {
    return new Refused(reason, "No signature fits the body, its id and its timestamp under the secret of this hook.");
  }
  return new Refused(reason, "The webhook-timestamp is more than five minutes away from now; send the message anew.");
}

function readObject(bytes: Uint8Array): JsonObject {
  const { value } = parseJson(bytes);
  if (isJsonObject(value)) return value;
  throw new Refused("invalid_request", "The body must be a JSON object.");
}

async function declaredArgs({ store, runtime }: Services, orgId: string, workflow: string) {
  const record = await store.getWorkflow(orgId, workflow);
  const plan = record === undefined ? undefined : await runtime.planOf(orgId, record.latest.hash);
  return plan?.args ?? {};
}
