import { channelOf } from "../registry/index.ts";
import { approvalUrl, needsSignIn } from "../outside/channel/index.ts";
import { type ApprovalRecord, type ApprovalTicket, isLaunchApproval } from "../store/index.ts";
import { addressAnswerer, type Answerer } from "./answerer.ts";
import { lacking } from "./auth.ts";
import { BODY_BYTES_MAX, readBody } from "./body.ts";
import { sessionSecretOf } from "./credentials.ts";
import type { OpenRoute } from "./open-routes.ts";
import { Refused } from "./problem.ts";
import { answerApproval } from "./routes/approvals.ts";
import type { Services } from "./route.ts";
import { isConfirmed, readTicketForm } from "./ticket-form.ts";
import {
  answeredPage,
  confirmPage,
  refusedPage,
  ticketPage,
  type TicketView,
  type Trouble,
  withHeaders,
} from "./ticket-page.ts";

/** Routes for links in messages. Opening a link decides nothing. One answer per person and approval is accepted. */
export const TICKET_ROUTES: readonly OpenRoute[] = [
  { method: "GET", path: "/t/{ticket}", handle: showTicket },
  { method: "POST", path: "/t/{ticket}", handle: answerTicket },
];

const FORM_TYPE = "application/x-www-form-urlencoded";
/** Longer than an answer takes: a second answer meanwhile is refused. */
const HOLD_MS = 30_000;

/** The view of a ticket, or the page that explains why it cannot be shown. */
type Found = { readonly view: TicketView; readonly hash: string } | { readonly refusal: Response };

async function showTicket(services: Services, request: Request): Promise<Response> {
  const found = await findTicket(services, request);
  return "refusal" in found ? found.refusal : ticketPage(found.view);
}

async function answerTicket(services: Services, request: Request): Promise<Response> {
  const found = await findTicket(services, request);
  if ("refusal" in found) return found.refusal;
  const { view, hash } = found;
  const { approval, ticket } = view;
  if (view.needsSignIn) return withHeaders(Response.redirect(absolute(services, request, approvalUrl(approval)), 303));
  const { bytes } = await readBody(request, { bytesMax: BODY_BYTES_MAX.other, types: [FORM_TYPE], isOptional: false });
  const sent = new URLSearchParams(new TextDecoder().decode(bytes));
  const { store } = services;
  if (!(await store.holdTicket(hash, HOLD_MS))) return usedPage(approval);
  let isUsed = false;
  try {
    const body = readTicketForm(sent, approval, view.hasContent);
    if (body.subjectDigest !== approval.subjectDigest) throw changed();
    const holder = await holderOf(services, request, ticket).catch(async (error: unknown) => {
      if (error instanceof Refused)
        await noteRefused(services, request, view, { code: error.code, decision: body.decision });
      throw error;
    });
    if (body.modifications !== undefined && !isConfirmed(sent)) {
      return confirmPage({ ...view, entered: sent }, body.modifications);
    }
    const after = await answerApproval({ services, ...holder, params: { approvalId: approval.id }, body });
    isUsed = true;
    return answeredPage(after);
  } catch (error) {
    if (!(error instanceof Refused) || error.status >= 500) throw error;
    return await refusalPage(services, { ...view, entered: sent }, error);
  } finally {
    await store.closeTicket(hash, isUsed);
  }
}

async function findTicket(services: Services, request: Request): Promise<Found> {
  const { store, config } = services;
  const text = new URL(request.url).pathname.slice("/t/".length);
  const hash = await services.approvalTickets.read(text);
  const ticket = hash === null ? undefined : await store.getTicket(hash);
  if (hash === null || ticket === undefined) {
    const advice = "It is not complete, or it is too old to be known. Open it from the message again, or sign in.";
    const next = { href: "/approvals", label: "Sign in to see what waits for you" };
    return { refusal: refusedPage("This link is not valid", advice, 404, next) };
  }
  const { orgId, approvalId, channel: name, state } = ticket;
  const approval = await store.getApproval(orgId, approvalId);
  if (approval === undefined) {
    return { refusal: refusedPage("This is gone", "What the link is about does not exist any more.", 404, null) };
  }
  const closed = closedPage(ticket, state, approval, config.now());
  if (closed !== null) return { refusal: closed };
  const entry = await store.getEntry(orgId, "channel", name);
  const isSignedIn = await isHolder(services, request, ticket);
  const hasContent = isSignedIn || (entry !== undefined && channelOf(entry).hasContent);
  const isShared = ticket.address === "";
  const shown = { ticket, approval, hasContent, isSignedIn, needsSignIn: isShared || needsSignIn(approval) };
  const view: TicketView = { ...shown, trouble: null, entered: new URLSearchParams() };
  return { view, hash };
}

function closedPage(
  { address }: ApprovalTicket,
  state: ApprovalTicket["state"],
  approval: ApprovalRecord,
  now: number,
): Response | null {
  const { status, title, expiresAt } = approval;
  const look = { href: approvalUrl(approval), label: "Sign in to look at it" };
  if (state === "used") return usedPage(approval);
  if (status !== "pending") {
    return refusedPage(title, `It is ${status} already. Nothing has to be done.`, 409, look);
  }
  if (expiresAt <= now) return refusedPage(title, "There was no answer in time, so that it has expired.", 410, look);
  if (state !== "expired") return null;
  const whose = address === "" ? "The link" : `The link for ${address}`;
  const text = `${whose} worked for 24 hours, which are over. It still waits for an answer.`;
  return refusedPage("This link has expired", text, 410, { href: approvalUrl(approval), label: "Sign in to answer" });
}

function usedPage(approval: ApprovalRecord): Response {
  const { status } = approval;
  const text =
    status === "pending"
      ? "An answer was given with it already. Sign in to answer again, or to see what became of it."
      : `An answer was given with it already, and the approval is ${status}.`;
  const next = { href: approvalUrl(approval), label: "Sign in to look at it" };
  return refusedPage("This link was used", text, 409, next);
}

function changed(): Refused {
  return new Refused(
    "content_changed",
    "What is asked has changed since this page was opened; here it is as it is now.",
  );
}

/** Returns the recipient of the ticket as the answerer: the ticket was sent to an address that only this person reads. */
async function holderOf(services: Services, request: Request, ticket: ApprovalTicket): Promise<Answerer> {
  const { orgId, personId, address, name } = ticket;
  const principal = await memberBehind(services, ticket);
  if (principal === null && personId !== null) {
    throw new Refused("forbidden", `${address} is not a member of the organisation any more.`);
  }
  await requireSamePerson(services, request, address, principal?.personId ?? null);
  if (principal === null) return addressAnswerer(orgId, address, name);
  if (!principal.permissions.has("governance:approve")) throw lacking("governance:approve");
  return { principal };
}

/** Audits a refused answer in the name of the person who is signed in here, else of the recipient. */
async function noteRefused(
  services: Services,
  request: Request,
  { ticket, approval }: TicketView,
  answer: { readonly code: string; readonly decision: string },
): Promise<void> {
  const { orgId, personId, address } = ticket;
  const { id, runId: run, nodeId: node } = approval;
  const keyId = (await signedInAt(services, request)) ?? personId ?? addressAnswerer(orgId, address).principal.keyId;
  const about = isLaunchApproval(approval) ? { id } : { id, run, node };
  await services.refusals.noteAnswer(services, { orgId, keyId, label: keyId }, about, { ...answer, link: address });
}

/** Checks whether the recipient is signed in in this browser. Without `content: true` on the channel, only then is the content shown. */
async function isHolder(services: Services, request: Request, ticket: ApprovalTicket): Promise<boolean> {
  const signedIn = await signedInAt(services, request);
  if (signedIn === null || ticket.address === "") return false;
  return (await memberBehind(services, ticket))?.personId === signedIn;
}

function memberBehind(
  { answerers }: Services,
  { orgId, personId, address }: ApprovalTicket,
): ReturnType<Services["answerers"]["byEmail"]> {
  return personId === null ? answerers.byEmail(orgId, address) : answerers.byPersonId(orgId, personId);
}

async function signedInAt({ sessions, config }: Services, request: Request): Promise<string | null> {
  const secret = sessionSecretOf(request, config.publicUrl);
  const session = secret === null ? undefined : await sessions.find(secret, false);
  return session?.personId ?? null;
}

/** Refuses the answer when another person is signed in here, to whom the link may have been forwarded. */
async function requireSamePerson(
  services: Services,
  request: Request,
  address: string,
  holder: string | null,
): Promise<void> {
  const signedIn = await signedInAt(services, request);
  if (signedIn === null || signedIn === holder) return;
  throw new Refused("forbidden", `The link was sent to ${address}, and another person is signed in here.`, {
    code: "not_an_approver",
  });
}

/** Shows problems the person can correct above the form; all others on a page without a form. */
async function refusalPage(services: Services, view: TicketView, refused: Refused): Promise<Response> {
  const { ticket, approval } = view;
  const { code, status, message } = refused;
  if (CORRECTABLE.has(code)) {
    const now = await services.store.getApproval(ticket.orgId, approval.id);
    return ticketPage({ ...view, approval: now ?? approval, trouble: troubleOf(refused) }, status);
  }
  const next = { href: approvalUrl(approval), label: "Sign in to look at it" };
  return refusedPage(code === "not_an_approver" ? "This is not asked of you" : approval.title, message, status, next);
}

const CORRECTABLE: ReadonlySet<string> = new Set([
  "content_changed",
  "reason_required",
  "form_invalid",
  "invalid_request",
  "bad_choice",
]);

function troubleOf({ code, message, problems = [] }: Refused): Trouble {
  // Problems of form fields are already in the message.
  const more = problems.map((problem) => problem.message).filter((text) => !message.includes(text));
  return { text: [message, ...more].join(" "), isOfContent: code === "content_changed" };
}

function absolute({ config }: Services, request: Request, path: string): string {
  return new URL(path, config.publicUrl ?? request.url).href;
}
