import type { Answerer } from "../store/index.ts";
import { answersAs } from "./answers-as.ts";
import { hasKnownPerson, idsBehind, isOfRequester } from "./key-chain.ts";
import type { Call } from "./route.ts";

type Asking = Pick<Call<unknown, unknown>, "services" | "principal">;

/**
 * Returns which open approvals the caller may answer, by the rules that judge an answer. The persons behind a
 * requester are looked up once per requester, not once per approval.
 */
export async function answererOf({ services, principal }: Asking): Promise<Answerer> {
  const { store, config } = services;
  const { orgId, keyId, personId, agentId, deputyFor } = principal;
  const [names, isKnown, requesters] = await Promise.all([
    answersAs(store, principal),
    hasKnownPerson(store, orgId, keyId),
    store.listSeparateRequesters(orgId),
  ]);
  const ownRequesters: string[] = [];
  const deputised: { requester: string; names: readonly string[] }[] = [];
  for (const requester of requesters) {
    if (await isOfRequester(store, orgId, keyId, requester)) {
      ownRequesters.push(requester);
      continue;
    }
    const behind = deputyFor.length === 0 ? [] : await idsBehind(store, orgId, requester);
    if (!deputyFor.some((one) => behind.includes(one.personId))) continue;
    deputised.push({ requester, names: await answersAs(store, principal, behind) });
  }
  const isAdvisory = config.approvers === "advisory";
  return { names: isAdvisory ? null : names, id: personId ?? keyId, agentId, isKnown, ownRequesters, deputised };
}
