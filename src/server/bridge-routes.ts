import {
  CALLBACK_BATCH_PATH,
  CALLBACK_BYTES_MAX,
  CALLBACK_PATH,
  callbackBatchSchema,
  GATEWAY_TOKEN_HEADER,
  readSentStream,
  STREAM_PATH,
  streamSchema,
  TURN_PATH,
  TURN_KINDS,
  type TurnKind,
  turnKindOf,
} from "../bridge/index.ts";
import { isJsonObject, type Json } from "../core/base/index.ts";
import { readDispatchId } from "../core/event/index.ts";
import { BODY_BYTES_MAX, type BodyRule, JSON_TYPE, readBody } from "./body.ts";
import {
  failTooLarge,
  type GatewayReporter,
  identified,
  replyTo,
  takeReport,
  unknownDispatch,
} from "./callback-intake.ts";
import { DispatchFinder } from "./dispatch-finder.ts";
import { readExternalReport } from "./external-report.ts";
import type { OpenRoute } from "./open-routes.ts";
import { readPeerJson } from "./peer-json.ts";
import { readPeerShape } from "./peer-shape.ts";
import { problemBody, Refused } from "./problem.ts";
import { json, type Services } from "./route.ts";
import { ANSWER_WAIT_MS, takeTurnReport } from "./turn-reports.ts";

/** Routes for reports of Bridges, by the token of their gateway, and of outside services, by the ticket of one attempt. */
export const BRIDGE_ROUTES: readonly OpenRoute[] = [
  { method: "POST", path: CALLBACK_PATH, handle: takeCallback },
  { method: "POST", path: CALLBACK_BATCH_PATH, handle: takeCallbacks },
  { method: "POST", path: STREAM_PATH, handle: takePartials },
  ...TURN_KINDS.map((kind): OpenRoute => ({ method: "POST", path: `${TURN_PATH}/${kind}`, handle: turnRoute(kind) })),
  { method: "POST", path: "/api/v1/callbacks/{token}", handle: takeExternal },
];

/** Maximum size of a batch, less than the sum of the maximum sizes of its callbacks. */
const BATCH_BYTES_MAX = 16 * 1_048_576;
/** How many bytes of a callback that is too large are searched for its id. */
const OVERFLOW_BYTES_MAX = 64 * 1_048_576;

async function takeCallback(services: Services, request: Request): Promise<Response> {
  const reporter = await authenticate(services, request);
  const finder = new DispatchFinder();
  const overflow = { bytesMax: OVERFLOW_BYTES_MAX, take: (piece: Uint8Array) => finder.take(piece) };
  try {
    const { sent } = await readPeer(request, CALLBACK_BYTES_MAX, overflow);
    return json(await takeReport(services, reporter, sent));
  } catch (error) {
    if (isTooLarge(error)) await failTooLarge(services, reporter, finder.dispatchId);
    throw error;
  }
}

/** Each callback is answered separately: an invalid one does not affect the others. */
async function takeCallbacks(services: Services, request: Request): Promise<Response> {
  const reporter = await authenticate(services, request);
  const { sent, size } = await readPeer(request, BATCH_BYTES_MAX);
  const { callbacks } = readPeerShape(callbackBatchSchema, sent);
  const mayBeHeavy = size > CALLBACK_BYTES_MAX;
  const answer = async (callback: Json): Promise<BatchAnswer> => {
    try {
      if (mayBeHeavy) await requireLight(services, reporter, callback);
      return { status: 200, body: await takeOne(services, reporter, callback) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { status: error.status, body: problemBody(error) };
    }
  };
  const last = new Map<unknown, Promise<unknown>>();
  const answers = callbacks.map((callback) => {
    const of = isJsonObject(callback) ? (callback["dispatchId"] ?? callback["dispatch_id"]) : undefined;
    const before = of === undefined ? undefined : last.get(of);
    // Reports of one dispatch are processed in order: a result before the end.
    const taken = before === undefined ? answer(callback) : before.then(() => answer(callback));
    last.set(of, taken);
    return taken;
  });
  return json({ results: await Promise.all(answers) });
}

interface BatchAnswer {
  readonly status: number;
  readonly body: object;
}

/** Processes a callback, or a report or request of an agent's turn. A batch does not wait for the answer of a person. */
function takeOne(services: Services, reporter: GatewayReporter, sent: Json): Promise<object> {
  const kind = turnKindOf(sent);
  return kind === null ? takeReport(services, reporter, sent) : takeTurnReport(services, reporter, kind, sent, 0);
}

/** The size limit of a single callback also applies inside a batch. */
async function requireLight(services: Services, reporter: GatewayReporter, callback: Json): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(callback));
  if (bytes.byteLength <= CALLBACK_BYTES_MAX) return;
  const finder = new DispatchFinder();
  finder.take(bytes);
  await failTooLarge(services, reporter, finder.dispatchId);
  throw new Refused("body_too_large", `A callback has at most ${CALLBACK_BYTES_MAX} bytes.`);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Refused && error.code === "body_too_large";
}

async function takePartials(services: Services, request: Request): Promise<Response> {
  const reporter = await authenticate(services, request);
  const { body, warnings } = readSentStream((await readPeer(request, BODY_BYTES_MAX.other)).sent);
  const { dispatchId, deltas } = readPeerShape(streamSchema, await identified(services, reporter, body));
  const address = readDispatchId(dispatchId);
  if (address === undefined) throw unknownDispatch(dispatchId);
  return json(replyTo(await services.runtime.stream(reporter, address, deltas), dispatchId, warnings));
}

/** A repeated report or request gets the answer that was decided before. */
function turnRoute(kind: TurnKind): OpenRoute["handle"] {
  return async (services, request) => {
    const reporter = await authenticate(services, request);
    const { sent } = await readPeer(request, CALLBACK_BYTES_MAX);
    return json(await takeTurnReport(services, reporter, kind, sent, ANSWER_WAIT_MS));
  };
}

async function takeExternal(services: Services, request: Request): Promise<Response> {
  const { tickets } = services.gateways;
  // The token is used as it was issued; nothing in it needs to be escaped.
  const token = new URL(request.url).pathname.split("/").at(-1) ?? "";
  const now = services.config.now();
  const reading = tickets.read(token, now);
  if (reading.kind === "bad") throw new Refused("bad_ticket", "This address was not given out by this server.");
  if (reading.kind === "expired") {
    throw new Refused("ticket_expired", "The attempt this address was given out for has passed its deadline.");
  }
  const { orgId, ...address } = reading.ticket;
  const { sent } = await readPeer(request, CALLBACK_BYTES_MAX);
  const { body, warnings } = readExternalReport(sent, address, now);
  return json(replyTo(await services.runtime.report({ orgId }, address, body), body.dispatchId, warnings));
}

/** The body of an unknown caller is not read. */
async function authenticate({ gateways }: Services, request: Request): Promise<GatewayReporter> {
  const token = request.headers.get(GATEWAY_TOKEN_HEADER) ?? "";
  const link = token === "" || token.length > 1_000 ? undefined : await gateways.directory.authenticate(token);
  if (link === undefined) {
    throw new Refused("unauthenticated", "The X-Gateway-Token is missing, or belongs to no gateway.");
  }
  return { orgId: link.orgId, gatewayId: link.gatewayId };
}

async function readPeer(
  request: Request,
  bytesMax: number,
  overflow?: BodyRule["overflow"],
): Promise<{ readonly sent: unknown; readonly size: number }> {
  const rule = { bytesMax, types: [JSON_TYPE], isOptional: false };
  const { bytes } = await readBody(request, overflow === undefined ? rule : { ...rule, overflow });
  return { sent: readPeerJson(bytes), size: bytes.byteLength };
}
