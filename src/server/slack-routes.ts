import { createHash } from "node:crypto";
import { z } from "zod";
import { auditEntry } from "../core/audit/index.ts";
import { getOwn } from "../core/base/index.ts";
import { DECISIONS } from "../core/event/index.ts";
import { type Channel, channelOf } from "../registry/index.ts";
import {
  ANSWER_ACTION,
  needsSignIn,
  REASON_BLOCK,
  REASON_MODAL,
  reasonModal,
  SlackApi,
} from "../outside/channel/index.ts";
import { verifySlack } from "../outside/webhook/index.ts";
import type { ApprovalRecord } from "../store/index.ts";
import { addressAnswerer, type Answerer, asksAddress } from "./answerer.ts";
import { isPersonId, lacking, type Principal } from "./auth.ts";
import { BODY_BYTES_MAX, readBody } from "./body.ts";
import type { OpenRoute } from "./open-routes.ts";
import { Refused } from "./problem.ts";
import { answerApproval } from "./routes/approvals.ts";
import { json, type Services } from "./route.ts";

/** Routes for actions of people in Slack, authenticated by Slack's signature instead of a key. */
export const SLACK_ROUTES: readonly OpenRoute[] = [
  { method: "POST", path: "/api/v1/channels/slack/{name}/actions", handle: takeAction },
];

const FORM_TYPE = "application/x-www-form-urlencoded";
const SIGNERS_MAX = 20;
const account = z.object({ id: z.string().min(1).max(64) });

const buttonValue = z.object({
  approvalId: z.string().max(200),
  decision: z.enum(DECISIONS),
  subjectDigest: z.string().max(200),
});
const pressed = z.object({
  type: z.literal("block_actions"),
  user: account,
  trigger_id: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().max(2_000).optional() })).min(1),
});
const submitted = z.object({
  type: z.literal("view_submission"),
  user: account,
  view: z.object({
    callback_id: z.string(),
    private_metadata: z.string().max(3_000),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), z.object({ value: z.string().nullish() }))) }),
  }),
});
const payloadSchema = z.union([pressed, submitted]);
type Payload = z.output<typeof payloadSchema>;

/** A channel whose signing secret matches the request. */
interface Signer {
  readonly orgId: string;
  readonly channel: Channel;
  readonly slack: SlackApi | null;
}

async function takeAction(services: Services, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const name = decodeURIComponent(pathname.split("/").at(-2) ?? "");
  const { bytes } = await readBody(request, { bytesMax: BODY_BYTES_MAX.other, types: [FORM_TYPE], isOptional: false });
  const signer = await findSigner(services, request, bytes, name, searchParams.get("org"));
  const payload = readPayload(bytes);
  if (payload.type === "view_submission") return takeReason(services, signer, payload);
  const [action] = payload.actions;
  // Slack also reports clicks on buttons that only open a page.
  if (action?.value === undefined || !action.action_id.startsWith(ANSWER_ACTION)) return json({ ok: true });
  const value = readValue(action.value);
  if (value.decision === "reject") return askReason(services, signer, payload, action.value, value.approvalId);
  const outcome = await answer(services, signer, payload.user.id, value, undefined);
  if (outcome === null) return json({ ok: true });
  await sendEphemeral(signer, payload.channel?.id, payload.user.id, outcome.message);
  return json({ ok: false, code: outcome.code, message: outcome.message });
}

/** Returns the first channel of this name whose secret signed the request. A request is accepted once. */
async function findSigner(
  services: Services,
  request: Request,
  bytes: Uint8Array,
  name: string,
  org: string | null,
): Promise<Signer> {
  const { store, gateways, config } = services;
  const timestamp = request.headers.get("x-slack-request-timestamp") ?? "";
  const signature = request.headers.get("x-slack-signature") ?? "";
  const orgs = org === null ? await store.findChannels(name, SIGNERS_MAX) : [org];
  let reason: "bad_signature" | "bad_timestamp" = "bad_signature";
  for (const orgId of orgs) {
    const entry = await store.getEntry(orgId, "channel", name);
    const channel = entry === undefined ? null : channelOf(entry);
    if (channel?.type !== "slack" || !channel.isEnabled) continue;
    const { signing_secret: secret, token } = (await services.secrets.openEntry(orgId, "channel", name)).secrets;
    if (secret === undefined) continue;
    const verdict = verifySlack([secret], { timestamp, signature }, bytes, config.now());
    if (verdict === "bad_timestamp") reason = verdict;
    if (verdict !== "good") continue;
    await requireFirst(services, orgId, signature);
    const reach = gateways.outbound === null ? {} : { allow: gateways.outbound.allow };
    return { orgId, channel, slack: token === undefined ? null : new SlackApi(config.slackUrl, reach, token) };
  }
  throw new Refused(reason, UNBELIEVED[reason]);
}

const UNBELIEVED = {
  bad_signature: "No channel of type slack and this name has the signing secret that signed the request.",
  bad_timestamp: "The X-Slack-Request-Timestamp is more than five minutes away from now.",
} as const;

/** Refuses a repeated request: an intercepted one must not work again, not even within its five minutes. */
async function requireFirst({ store, config }: Services, orgId: string, signature: string): Promise<void> {
  const key = `slack/${createHash("sha256").update(signature, "utf8").digest("hex")}`;
  if (await store.fireAlert(orgId, key, { at: config.now(), deliveries: [], audit: null })) return;
  throw new Refused("message_repeated", "This very request was received before.");
}

function readPayload(bytes: Uint8Array): Payload {
  const text = new URLSearchParams(new TextDecoder().decode(bytes)).get("payload") ?? "";
  const read = payloadSchema.safeParse(parsed(text));
  if (read.success) return read.data;
  throw new Refused("invalid_request", "The form has no payload of the type block_actions or view_submission.");
}

function readValue(text: string): z.output<typeof buttonValue> {
  const read = buttonValue.safeParse(parsed(text));
  if (read.success) return read.data;
  throw new Refused("invalid_request", "The value of the button is not one of ours.");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Opens the form for the reason; nothing is decided yet. */
async function askReason(
  { store }: Services,
  signer: Signer,
  payload: z.output<typeof pressed>,
  value: string,
  approvalId: string,
): Promise<Response> {
  const approval = await store.getApproval(signer.orgId, approvalId);
  const view = reasonModal(value, approval?.title ?? approvalId);
  const reply = await signer.slack?.call("views.open", { trigger_id: payload.trigger_id ?? "", view });
  if (reply?.ok === true) return json({ ok: true });
  await sendEphemeral(
    signer,
    payload.channel?.id,
    payload.user.id,
    "The form for the reason cannot be opened; use the link.",
  );
  return json({ ok: false, code: "refused", message: "The form cannot be opened." });
}

async function takeReason(
  services: Services,
  signer: Signer,
  { user, view }: z.output<typeof submitted>,
): Promise<Response> {
  if (view.callback_id !== REASON_MODAL) throw new Refused("invalid_request", "The form is not one of ours.");
  const value = readValue(view.private_metadata);
  const reason = (view.state.values[REASON_BLOCK]?.[REASON_BLOCK]?.value ?? "").trim();
  const outcome = await answer(services, signer, user.id, value, reason === "" ? undefined : reason);
  if (outcome === null) return json({ response_action: "clear" });
  return json({ response_action: "errors", errors: { [REASON_BLOCK]: outcome.message } });
}

interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** Null when the answer was accepted. */
async function answer(
  services: Services,
  signer: Signer,
  slackAccount: string,
  { approvalId, decision, subjectDigest }: z.output<typeof buttonValue>,
  reason: string | undefined,
): Promise<Refusal | null> {
  try {
    const approval = await services.store.getApproval(signer.orgId, approvalId);
    if (approval === undefined) throw new Refused("unknown_approval", "It does not exist any more.");
    const answerer = await answererOf(services, signer, slackAccount, approval);
    if (needsSignIn(approval))
      throw new Refused("forbidden", "This can only be answered after signing in; use the link.");
    if (subjectDigest !== approval.subjectDigest) {
      throw new Refused("content_changed", "What is asked has changed since; look at it again.");
    }
    const body = { decision, subjectDigest, ...(reason === undefined ? {} : { reason }) };
    await answerApproval({ services, ...answerer, params: { approvalId }, body });
    return null;
  } catch (error) {
    if (!(error instanceof Refused) || error.status >= 500) throw error;
    return { code: error.code, message: error.message };
  }
}

/** Returns the person of an account: as assigned by the channel, or by the address Slack has verified. */
async function answererOf(
  services: Services,
  { orgId, channel, slack }: Signer,
  slackAccount: string,
  approval: ApprovalRecord,
): Promise<Answerer> {
  const { answerers } = services;
  const assigned = getOwn(channel.accounts, slackAccount);
  const email = assigned ?? (await slack?.emailOf(slackAccount)) ?? null;
  const member = email === null ? null : await memberOf(answerers, orgId, email);
  if (member !== null) {
    if (!member.permissions.has("governance:approve")) throw lacking("governance:approve");
    return { principal: member };
  }
  if (email !== null && asksAddress(approval, email)) return addressAnswerer(orgId, email);
  await noteUnknown(services, orgId, channel, slackAccount, email);
  throw new Refused("forbidden", "Your Slack account belongs to no person who may answer here; ask an admin.", {
    code: "unknown_account",
  });
}

function memberOf(answerers: Services["answerers"], orgId: string, who: string): Promise<Principal | null> {
  return isPersonId(who) ? answerers.byPersonId(orgId, who) : answerers.byEmail(orgId, who);
}

async function noteUnknown(
  { store, config }: Services,
  orgId: string,
  { id }: Channel,
  slackAccount: string,
  email: string | null,
): Promise<void> {
  const detail = { code: "unknown_account", account: slackAccount, ...(email === null ? {} : { email }) };
  const actor = `slack:${slackAccount}`;
  const entry = auditEntry({ at: config.now(), type: "auth.failed", actor, resource: `channel/${id}`, detail });
  await store.appendAudit(orgId, [entry]);
}

/** Sends a message that only one person sees. */
async function sendEphemeral({ slack }: Signer, place: string | undefined, user: string, text: string): Promise<void> {
  if (slack !== null && place !== undefined) await slack.call("chat.postEphemeral", { channel: place, user, text });
}
