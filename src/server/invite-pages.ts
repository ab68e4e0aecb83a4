import type { InvitationRecord, PersonRecord } from "../store/index.ts";
import { csrfTokenOf, ownOriginsOf, requireCsrfToken, requireOwnOrigin, sessionSecretOf } from "./credentials.ts";
import { formOf } from "./form.ts";
import { html, type Html, page } from "./html.ts";
import { auditEntry } from "../core/audit/index.ts";
import { momentText } from "../outside/channel/index.ts";
import { to } from "./redirect.ts";
import type { Services } from "./route.ts";
import { stateOf } from "./routes/invitations.ts";
import { hashSecret } from "./secret.ts";

/** Shows an invitation and leads to sign-in. Opening the page, as link scanners do, accepts nothing. */
export async function showInvitation(services: Services, request: Request): Promise<Response> {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  const invitation = await services.store.findInvitation(hashSecret(token));
  const problem = problemOf(services, invitation);
  if (invitation === undefined || problem !== null) return closed(problem ?? UNKNOWN);
  const organisation = await services.store.getOrganisation(invitation.orgId);
  const person = await personOf(services, request);
  const secret = sessionSecretOf(request, services.config.publicUrl) ?? "";
  return page(
    "Invitation",
    html`<h1>Join ${organisation?.name ?? invitation.orgId}</h1>
      <p>
        ${invitation.email} is invited as ${invitation.roles.join(", ")}, until ${momentText(invitation.expiresAt)}.
      </p>
      ${
        person === null || person.email !== invitation.email
          ? signInParts(services, token, invitation, person)
          : acceptForm(token, csrfTokenOf(secret), person)
      }`,
  );
}

/** Makes the person of the session a member. */
export async function acceptInvitation(services: Services, request: Request): Promise<Response> {
  const { publicUrl } = services.config;
  requireOwnOrigin(request, ownOriginsOf(request, publicUrl));
  const form = await formOf(request);
  const token = form.get("token") ?? "";
  const person = await personOf(services, request);
  // The invitation page leads to sign-in.
  if (person === null) return to(`/invite?token=${encodeURIComponent(token)}`);
  requireCsrfToken(sessionSecretOf(request, publicUrl) ?? "", form.get("csrf"));
  const invitation = await services.store.findInvitation(hashSecret(token));
  const problem = problemOf(services, invitation);
  if (invitation === undefined || problem !== null) return closed(problem ?? UNKNOWN);
  if (person.email !== invitation.email) return to(`/invite?token=${encodeURIComponent(token)}`);
  if (!(await services.store.acceptInvitation(invitation.hash, person.id))) return closed(UNKNOWN);
  services.people.forget();
  await noteAcceptance(services, invitation, person);
  return to(`/o/${encodeURIComponent(invitation.orgId)}/`);
}

const UNKNOWN = "This invitation does not exist, or was used. Ask for a new one.";

function problemOf({ config }: Services, invitation: InvitationRecord | undefined): string | null {
  if (invitation === undefined) return UNKNOWN;
  switch (stateOf(invitation, config.now())) {
    case "open":
      return null;
    case "accepted":
      return "This invitation was accepted before. Sign in to use Sluice.";
    case "revoked":
      return "This invitation was revoked. Ask for a new one.";
    case "expired":
      return "This invitation has expired. Ask for a new one.";
  }
}

function closed(problem: string): Response {
  const body = html`<h1>This invitation cannot be used</h1>
    <p role="alert">${problem}</p>
    <p><a href="/">Sign in</a></p>`;
  return page("Invitation", body, 410);
}

/** Returns the person of the browser's session; null when no person is signed in. */
async function personOf({ sessions, store, config }: Services, request: Request): Promise<PersonRecord | null> {
  const secret = sessionSecretOf(request, config.publicUrl);
  const session = secret === null ? undefined : await sessions.find(secret, true);
  const personId = session?.personId ?? null;
  const person = personId === null ? undefined : await store.getPerson(personId);
  return person === undefined || person.isDisabled ? null : person;
}

function signInParts(
  { signIn }: Services,
  token: string,
  { email }: InvitationRecord,
  person: PersonRecord | null,
): Html {
  const back = encodeURIComponent(`/invite?token=${encodeURIComponent(token)}`);
  const asWhom = person?.email ?? "a person without a verified email";
  return html`${
    person === null
      ? html`<p>Sign in with ${email} to accept.</p>`
      : html`<p role="alert">You are signed in as ${asWhom}. Sign in with ${email} to accept.</p>`
  }
  ${signIn.shown.map(({ name, label }) => html`<p><a class="main" href="/auth/${name}/start?return=${back}">Sign in at ${label}</a></p>`)}
  ${signIn.shown.length === 0 ? html`<p>The operator of this server has set up no provider to sign in at.</p>` : html``}`;
}

function acceptForm(token: string, csrf: string, { email }: PersonRecord): Html {
  return html`<form method="post" action="/invite">
    <input type="hidden" name="token" value="${token}" />
    <input type="hidden" name="csrf" value="${csrf}" />
    <p>You are signed in as ${email ?? ""}.</p>
    <p><button class="main">Accept</button></p>
  </form>`;
}

async function noteAcceptance(
  { store, config }: Services,
  { id, orgId, roles, groups }: InvitationRecord,
  { id: personId }: PersonRecord,
): Promise<void> {
  const detail = { invitation: id, roles: [...roles], groups: [...groups] };
  const resource = `person/${personId}`;
  const entry = auditEntry({ at: config.now(), type: "person.joined", actor: personId, resource, detail });
  await store.appendAudit(orgId, [entry]);
}
