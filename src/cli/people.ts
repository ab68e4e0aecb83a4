import type { InvitationRequest, MemberRole, Person } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printJson, printList } from "./listing.ts";
import { Refusal } from "./refusal.ts";
import { formatTable } from "./table.ts";
import { oneLine, printable } from "./terminal-text.ts";

export async function listPeople(
  io: Io,
  api: Api,
  options: ListOptions & { readonly invited?: boolean },
): Promise<number> {
  if (options.invited === true) return listInvitations(io, api, options);
  const now = io.clock.now();
  printList(io, await api.people.list(pageOf(options)), options, {
    none: "no person has signed in yet: `sluice people invite` invites one",
    head: ["PERSON", "NAME", "ROLES", "GROUPS", "DEPUTY", "SINCE"],
    row: ({ id, label, roles, groups, deputy, joinedAt }) => [
      id,
      oneLine(label),
      namesOf(roles),
      namesOf(groups),
      deputy === null ? "–" : `${oneLine(deputy.label)} ${deputy.isActive ? "now" : formatWhen(deputy.from, now)}`,
      formatWhen(joinedAt, now),
    ],
  });
  return EXIT.fine;
}

async function listInvitations(io: Io, api: Api, options: ListOptions): Promise<number> {
  const now = io.clock.now();
  printList(io, await api.people.listInvitations(pageOf(options)), options, {
    none: "no person is invited",
    head: ["INVITATION", "EMAIL", "ROLES", "GROUPS", "STATE", "EXPIRES"],
    row: ({ id, email, roles, groups, state, expiresAt }) => [
      id,
      oneLine(email),
      roles.join(" "),
      groups.map(oneLine).join(" ") || "–",
      state,
      formatWhen(expiresAt, now),
    ],
  });
  return EXIT.fine;
}

export interface InviteOptions {
  readonly role: readonly MemberRole[];
  readonly group?: readonly string[];
  readonly json?: boolean;
}

/** Invites a person. The link is printed to standard output and never shown again. */
export async function invite(io: Io, api: Api, email: string, options: InviteOptions): Promise<number> {
  const { role, group = [], json } = options;
  const request: InvitationRequest = { email, roles: [...role], groups: [...group] };
  const made = await api.people.invite(request);
  if (json === true) {
    printJson(io, made);
    return EXIT.fine;
  }
  io.err.write(`send this link to ${oneLine(made.email)}; it is valid for 7 days and shown only this once:\n`);
  io.out.write(`${made.link}\n`);
  return EXIT.fine;
}

export interface SetOptions {
  readonly role?: readonly MemberRole[];
  readonly group?: readonly string[];
  readonly deputy?: string;
  readonly until?: string;
  /** Fields to clear: roles and groups become empty, the deputy is removed. */
  readonly clear?: readonly Clearable[];
  readonly json?: boolean;
}

export const CLEARABLE = ["roles", "groups", "deputy"] as const;
export type Clearable = (typeof CLEARABLE)[number];

/** Sets what an administrator assigns to a member. Claims from the identity provider are not changed. */
export async function setMember(io: Io, api: Api, who: string, options: SetOptions): Promise<number> {
  const { role, group, deputy, until, clear = [], json } = options;
  if ([role, group, deputy].every((value) => value === undefined) && clear.length === 0) {
    throw new Refusal("name what to set: --role, --group, --deputy with --until, or --clear");
  }
  if ((deputy === undefined) !== (until === undefined)) throw new Refusal("--deputy and --until belong together");
  const roles = clear.includes("roles") ? [] : role;
  const groups = clear.includes("groups") ? [] : group;
  const changed = await api.people.change(await personIdOf(api, who), {
    ...(roles === undefined ? {} : { roles: [...roles] }),
    ...(groups === undefined ? {} : { groups: [...groups] }),
    ...(clear.includes("deputy") ? { deputy: null } : {}),
    ...(deputy === undefined || until === undefined
      ? {}
      : { deputy: { person: await personIdOf(api, deputy), until: momentOf(until) } }),
  });
  if (json === true) printJson(io, changed);
  else io.err.write(`${oneLine(changed.label)}: roles ${namesOf(changed.roles)}, groups ${namesOf(changed.groups)}\n`);
  return EXIT.fine;
}

export async function removeMember(
  io: Io,
  api: Api,
  who: string,
  options: { readonly quiet?: boolean },
): Promise<number> {
  await api.people.remove(await personIdOf(api, who));
  if (options.quiet !== true) io.err.write(`${printable(who)} is no member any more\n`);
  return EXIT.fine;
}

const PAGES_MAX = 100;

/** Returns the id of a person who is named by id or email. */
async function personIdOf(api: Api, who: string): Promise<string> {
  if (!who.includes("@")) return who;
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { data, nextCursor } = await api.people.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    const found = data.find(({ email }) => email === who.toLowerCase());
    if (found !== undefined) return found.id;
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  throw new Refusal(`the organisation has no member with the verified email ${printable(who)}`);
}

/** Reads a moment. A day without a time means the end of that day in UTC. */
function momentOf(text: string): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T24:00:00Z`) : Date.parse(text);
  if (!Number.isFinite(at))
    throw new Refusal(`--until ${printable(text)}: write a day such as 2030-01-31, or a moment`);
  return new Date(at).toISOString();
}

function namesOf(items: Person["roles"]): string {
  return items.map(({ name }) => oneLine(name)).join(" ") || "–";
}

export interface SessionListOptions {
  readonly all?: boolean;
  readonly json?: boolean;
}

export async function listSessions(io: Io, api: Api, options: SessionListOptions): Promise<number> {
  const now = io.clock.now();
  printList(io, await api.people.listSessions(options.all === true ? "organisation" : "own"), options, {
    none: "no browser is signed in",
    head: ["SESSION", "WHO", "SIGNED IN", "LAST USED", "FROM", "BROWSER"],
    row: ({ id, label, createdAt, lastSeenAt, ip, userAgent }) => [
      id,
      oneLine(label),
      formatWhen(createdAt, now),
      formatWhen(lastSeenAt, now),
      oneLine(ip) || "–",
      oneLine(userAgent).slice(0, 60),
    ],
  });
  return EXIT.fine;
}

export async function revokeSession(
  io: Io,
  api: Api,
  id: string,
  options: { readonly quiet?: boolean },
): Promise<number> {
  await api.people.revokeSession(id);
  if (options.quiet !== true) io.err.write(`${printable(id)} has ended\n`);
  return EXIT.fine;
}

export async function listOrganisations(io: Io, api: Api, options: { readonly json?: boolean }): Promise<number> {
  printList(io, await api.people.listOrganisations(), options, {
    none: "the key belongs to no organisation",
    head: ["ORGANISATION", "NAME", "ROLES", "GROUPS"],
    row: ({ id, name, roles, groups }) => [
      id,
      oneLine(name),
      roles.join(" ") || "–",
      groups.map(oneLine).join(" ") || "–",
    ],
  });
  return EXIT.fine;
}

export async function showLimits(io: Io, api: Api, id: string, options: { readonly json?: boolean }): Promise<number> {
  const answer = await api.people.limitsOf(id);
  if (options.json === true) printJson(io, answer);
  else {
    const rows = answer.limits.map(({ name, limit, used }) => [
      name,
      String(used),
      limit === null ? "none" : String(limit),
    ]);
    io.out.write(formatTable([["LIMIT", "USED", "AT MOST"], ...rows]));
  }
  return EXIT.fine;
}

export interface CreateOrganisationOptions {
  readonly name?: string;
  readonly json?: boolean;
}

/** Creates an organisation. If the caller's key has no person, prints an admin key of the new organisation, only this once. */
export async function createOrganisation(
  io: Io,
  api: Api,
  id: string,
  options: CreateOrganisationOptions,
): Promise<number> {
  const made = await api.people.createOrganisation({
    id,
    ...(options.name === undefined ? {} : { name: options.name }),
  });
  if (options.json === true) {
    printJson(io, made);
    return EXIT.fine;
  }
  io.err.write(
    `the organisation ${printable(id)} is created${made.key === null ? "" : "; its admin key is shown only this once:"}\n`,
  );
  if (made.key !== null) io.out.write(`${made.key.key}\n`);
  return EXIT.fine;
}
