import { createHash, timingSafeEqual } from "node:crypto";
import { getOwn } from "../core/base/index.ts";
import { isHook, isOpen, type Trigger, triggerOf } from "../registry/index.ts";
import { refusalLine } from "../secrets/index.ts";
import type { Entry } from "../store/index.ts";
import { candidateOfHook, type DeclaredArgs, type HookCandidate, TriggerStarter } from "../outside/trigger/index.ts";
import { Refused } from "./problem.ts";
import type { Services } from "./route.ts";

export function createTriggers({
  store,
  runtime,
  launcher,
}: Pick<Services, "store" | "runtime" | "launcher">): TriggerStarter {
  const declaredArgs = async (orgId: string, workflow: string): Promise<DeclaredArgs> => {
    const record = await store.getWorkflow(orgId, workflow);
    const plan = record === undefined ? undefined : await runtime.planOf(orgId, record.latest.hash);
    return plan?.args ?? {};
  };
  return new TriggerStarter({ store, launcher, declaredArgs });
}

/** The parts of an address such as `/api/v1/hooks/orders?org=default` or `/forms/orders/PATH?org=default`. */
export interface TriggerAddress {
  readonly name: string;
  /** The secret part of the address; null when there is none. */
  readonly path: string | null;
  readonly orgId: string | null;
  readonly query: URLSearchParams;
}

/** A message without an organisation is checked against every organisation with such a trigger, up to this number. */
const ORGANISATIONS_MAX = 20;

export function addressOf(request: Request, under: "hooks" | "forms"): TriggerAddress {
  const { pathname, searchParams } = new URL(request.url);
  const segments = pathname.split("/");
  const [name = "", path] = segments.slice(segments.indexOf(under) + 1).map(decoded);
  return { name, path: path ?? null, orgId: searchParams.get("org"), query: searchParams };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}

export interface FoundTrigger {
  readonly orgId: string;
  readonly trigger: Trigger;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Returns the triggers an address may mean. A trigger with a secret address is found only by its complete address. */
export async function triggersAt(services: Services, address: TriggerAddress): Promise<readonly FoundTrigger[]> {
  const { store, config } = services;
  const { name, path, orgId } = address;
  const named = orgId === null ? undefined : await store.getEntry(orgId, "trigger", name);
  const entries =
    orgId === null
      ? await store.findTriggers(name, ORGANISATIONS_MAX)
      : named === undefined
        ? []
        : [{ ...named, orgId }];
  const found: FoundTrigger[] = [];
  for (const entry of entries) {
    const trigger = readable(entry, config.onTrouble);
    if (trigger === null) continue;
    const { secrets, refusals } = await services.secrets.openEntry(entry.orgId, "trigger", entry.id);
    for (const refusal of Object.values(refusals)) {
      config.onTrouble(`messages to the trigger ${entry.id} cannot be verified`, new Error(refusalLine(refusal)));
    }
    const isMeant = isOpen(trigger) ? isSameText(path ?? "", getOwn(secrets, "path") ?? "") : path === null;
    if (isMeant) found.push({ orgId: entry.orgId, trigger, secrets });
  }
  return found;
}

function readable(entry: Entry, onTrouble: Services["config"]["onTrouble"]): Trigger | null {
  try {
    return triggerOf(entry);
  } catch (error) {
    onTrouble(`the trigger ${entry.id} cannot be read and starts nothing`, error);
    return null;
  }
}

function isSameText(given: string, expected: string): boolean {
  const [left, right] = [given, expected].map((text) => createHash("sha256").update(text).digest());
  return expected !== "" && left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

/** Returns all candidates for messages to an address: triggers, and the hook of the workflow of that name. */
export async function hookCandidates(
  services: Services,
  address: TriggerAddress,
): Promise<readonly [HookCandidate, ...HookCandidate[]]> {
  const { store, gateways, config } = services;
  const { name, path, orgId } = address;
  const triggers = (await triggersAt(services, address)).flatMap(({ orgId, trigger, secrets }): HookCandidate[] => {
    const secret = getOwn(secrets, "secret");
    return isHook(trigger) ? [{ orgId, trigger, secrets: secret === undefined ? [] : [secret] }] : [];
  });
  const named = orgId === null || path !== null ? undefined : await store.getHook(orgId, name);
  const ofWorkflows =
    orgId === null && path === null
      ? await store.findHooks(name, ORGANISATIONS_MAX)
      : named === undefined
        ? []
        : [named];
  const now = config.now();
  const [first, ...rest] = [...triggers, ...ofWorkflows.map((hook) => candidateOfHook(hook, gateways.box, now))];
  if (first !== undefined) return [first, ...rest];
  const detail = "Nothing takes messages here; register a Trigger with on: {hook: …}.";
  throw new Refused("unknown_hook", detail);
}

/** Returns the address of a trigger for messages or people; null when it has none, or its secret is not available to this caller. */
export function triggerUrl(
  { gateways }: Services,
  orgId: string,
  { trigger, secrets }: Pick<FoundTrigger, "trigger" | "secrets">,
): string | null {
  const under = trigger.on.kind === "hook" ? "/api/v1/hooks" : trigger.on.kind === "form" ? "/forms" : null;
  if (under === null) return null;
  const path = isOpen(trigger) ? getOwn(secrets, "path") : undefined;
  if (isOpen(trigger) && path === undefined) return null;
  const last = path === undefined ? "" : `/${path}`;
  const org = encodeURIComponent(orgId);
  return `${gateways.publicUrl}${under}/${encodeURIComponent(trigger.name)}${last}?org=${org}`;
}
