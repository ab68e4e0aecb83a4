import { randomUUID } from "node:crypto";
import { getOwn, type JsonObject } from "../core/base/index.ts";
import type { Plan } from "../core/plan/index.ts";
import {
  actorOf,
  deliveriesOf,
  PUBLIC_FORM_RATE_MAX,
  RATE_MAX,
  RATE_WINDOW_MS,
  type StartResult,
} from "../outside/trigger/index.ts";
import type { Trigger } from "../registry/index.ts";
import { callerOf, lacking, type Principal, unauthenticated } from "./auth.ts";
import { csrfTokenOf, ownOriginsOf, requireCsrfToken, requireOwnOrigin, sessionSecretOf } from "./credentials.ts";
import { givenArgs } from "./form-field.ts";
import { deliveryWithFiles, readSentForm, type SentForm, storeFormFiles } from "./form-files.ts";
import { formPage, messagePage, startedPage } from "./form-page.ts";
import { html } from "./html.ts";
import { refusedLaunch } from "./launch-reply.ts";
import type { OpenRoute } from "./open-routes.ts";
import { Refused } from "./problem.ts";
import type { Services } from "./route.ts";
import { awaitOutputs } from "./run-outputs.ts";
import { tooMany } from "./trigger-answer.ts";
import { addressOf, triggersAt } from "./trigger-lookup.ts";

/** Pages that start runs: without a key where the trigger is public, otherwise after sign-in. */
export const FORM_ROUTES: readonly OpenRoute[] = (["GET", "POST"] as const).flatMap((method) =>
  ["/forms/{name}", "/forms/{name}/{path}"].map((path) => ({ method, path, handle: withRefusalPage })),
);

/** Shows refusals as pages, since a person reads them. */
async function withRefusalPage(services: Services, request: Request): Promise<Response> {
  try {
    return await answer(services, request);
  } catch (error) {
    if (!(error instanceof Refused) || error.status >= 500) throw error;
    const isUnknown = error.status === 401;
    const link = isUnknown ? html`<p><a href="/">Sign in</a></p>` : undefined;
    const shown = messagePage(
      error.title,
      isUnknown ? "Sign in and open this page again." : error.message,
      error.status,
      link,
    );
    for (const [name, value] of Object.entries(error.headers)) {
      if (name !== "www-authenticate") shown.headers.set(name, value);
    }
    return shown;
  }
}

interface OpenedForm {
  readonly orgId: string;
  readonly trigger: Trigger;
  readonly plan: Plan;
  /** Null for a person without a key, through a public address. */
  readonly person: SignedIn | null;
}

interface SignedIn {
  readonly principal: Principal;
  /** The secret of the session. */
  readonly secret: string;
}

async function answer(services: Services, request: Request): Promise<Response> {
  const form = await openForm(services, request);
  const { trigger, plan, person } = form;
  const csrf = person === null ? null : csrfTokenOf(person.secret);
  if (!trigger.isEnabled) throw new Refused("trigger_disabled", "This form is closed at the moment.");
  if (request.method !== "POST") {
    return formPage({ title: trigger.name, plan, csrf, deliveryId: randomUUID(), given: {}, problems: [] });
  }
  const sent = await readSentForm(request, plan.args);
  const shown = getOwn(sent.fields, "csrf");
  if (person !== null) requireCsrfToken(person.secret, typeof shown === "string" ? shown : null);
  const nonce = getOwn(sent.fields, "delivery");
  const pageId = typeof nonce === "string" && /^[\w-]{8,64}$/.test(nonce) ? nonce : randomUUID();
  const deliveryId = await deliveryWithFiles(pageId, sent);
  const given = { ...givenArgs(sent.fields, plan.args), ...(await storedFiles(services, form, sent, deliveryId)) };
  const { orgId } = form;
  const result = await services.triggers.start({
    orgId,
    trigger,
    delivered: { body: given, headers: {}, query: {} },
    deliveryId,
    ...(person === null ? { rateMax: PUBLIC_FORM_RATE_MAX } : { caller: callerOf(person.principal) }),
  });
  if (result.kind === "refused" && result.refusal.problems !== undefined) {
    const { problems } = result.refusal;
    return formPage({ title: trigger.name, plan, csrf, deliveryId: pageId, given, problems });
  }
  return sentPage(services, form, result);
}

/** Stores the files of a page. A page beyond the rate limit of its trigger stores nothing. */
async function storedFiles(
  services: Services,
  { orgId, trigger, plan, person }: OpenedForm,
  sent: SentForm,
  deliveryId: string,
): Promise<JsonObject> {
  if (sent.files.length === 0) return {};
  const key = { orgId, triggerId: deliveriesOf(trigger), deliveryId };
  const { recent } = await services.store.deliveryStanding(key, RATE_WINDOW_MS);
  const max = person === null ? PUBLIC_FORM_RATE_MAX : RATE_MAX;
  if (recent >= max) throw tooMany(max);
  const createdBy = person?.principal.keyId ?? actorOf(trigger);
  return storeFormFiles(services, orgId, createdBy, sent, plan.args);
}

async function openForm(services: Services, request: Request): Promise<OpenedForm> {
  const address = addressOf(request, "forms");
  const isPublic = address.path !== null;
  const person = isPublic ? null : await signedIn(services, request, address.orgId);
  const found = await triggersAt(services, person === null ? address : { ...address, orgId: person.principal.orgId });
  const form = found.find(({ trigger }) => trigger.on.kind === "form" && trigger.on.isPublic === isPublic);
  if (form === undefined) throw new Refused("not_found", "There is no form here.");
  const { orgId, trigger } = form;
  const record = await services.store.getWorkflow(orgId, trigger.workflow);
  const plan = record === undefined ? undefined : await services.runtime.planOf(orgId, record.latest.hash);
  if (plan === undefined) throw new Refused("unknown_workflow", "The workflow of this form is gone.");
  return { orgId, trigger, plan, person };
}

/** Identifies the signed-in person. Only this function of the form pages reads the session cookie. */
async function signedIn(services: Services, request: Request, named: string | null): Promise<SignedIn> {
  const { publicUrl } = services.config;
  const secret = sessionSecretOf(request, publicUrl);
  if (secret === null) throw unauthenticated("There is no session.");
  if (request.method === "POST") requireOwnOrigin(request, ownOriginsOf(request, publicUrl));
  const choice = { named, isPersonal: false, isUse: true };
  const principal = await services.callers.identify({ secret, isCookie: true }, choice);
  if (!principal.permissions.has("workflow:execute")) throw lacking("workflow:execute");
  return { principal, secret };
}

async function sentPage(services: Services, { orgId, trigger }: OpenedForm, result: StartResult): Promise<Response> {
  const { name: title, respond } = trigger;
  switch (result.kind) {
    case "limited":
      throw tooMany(result.max);
    case "refused":
      throw refusedLaunch(result.refusal, services.config.now());
    case "filtered":
      return messagePage(title, "Thank you. Nothing had to be started for this.", 202);
    default: {
      const runId = result.kind === "known" ? result.runId : result.run.runId;
      if (respond !== "outputs") return startedPage(title, respond === "none" ? null : runId, null);
      return startedPage(title, runId, await awaitOutputs(services, orgId, runId));
    }
  }
}
