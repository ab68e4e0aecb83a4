import type {
  BrowserSession,
  DeputyRequest,
  Invitation,
  InvitationRequest,
  ListPage,
  MadeInvitation,
  MadeOrganisation,
  MemberRequest,
  Organisation,
  OrganisationLimitsView,
  OrganisationRequest,
  PageOptions,
  Person,
} from "../contract/index.ts";
import type { Asked, Needs } from "./caller.ts";
import { encode } from "./query.ts";

/** The members of `Caller` with which requests are sent here. */
interface Door {
  ask<T>(method: string, path: string, asked: Asked, needs: Needs): Promise<T>;
  list<T>(path: string, asked: Asked): Promise<T>;
  command(method: string, path: string): Promise<void>;
}

const PERSON: Needs = ["id", "roles", "groups"];
const ORGANISATION: Needs = ["id", "name"];
const LIMITS: Needs = ["id", "limits"];

/** Part of the API for people: members, organisations, invitations and sessions. */
export class PeopleClient {
  readonly #door: Door;

  constructor(door: Door) {
    this.#door = door;
  }

  list(page: PageOptions = {}): Promise<ListPage<Person>> {
    return this.#door.list("/persons", { query: { ...page } });
  }

  get(personId: string): Promise<Person> {
    return this.#door.ask("GET", `/persons/${encode(personId)}`, {}, PERSON);
  }

  change(personId: string, change: MemberRequest): Promise<Person> {
    return this.#door.ask("PATCH", `/persons/${encode(personId)}`, { body: change }, PERSON);
  }

  /** Ends the membership of a person. */
  remove(personId: string): Promise<void> {
    return this.#door.command("DELETE", `/persons/${encode(personId)}`);
  }

  setDeputy(deputy: DeputyRequest): Promise<Person> {
    return this.#door.ask("PUT", "/me/deputy", { body: deputy }, PERSON);
  }

  removeDeputy(): Promise<Person> {
    return this.#door.ask("DELETE", "/me/deputy", {}, PERSON);
  }

  listOrganisations(): Promise<ListPage<Organisation>> {
    return this.#door.list("/organisations", {});
  }

  createOrganisation(organisation: OrganisationRequest): Promise<MadeOrganisation> {
    return this.#door.ask("POST", "/organisations", { body: organisation }, ORGANISATION);
  }

  /** Returns the limits of an organisation and how much of each is used. */
  limitsOf(id: string): Promise<OrganisationLimitsView> {
    return this.#door.ask("GET", `/organisations/${encode(id)}/limits`, {}, LIMITS);
  }

  renameOrganisation(id: string, name: string): Promise<Organisation> {
    return this.#door.ask("PATCH", `/organisations/${encode(id)}`, { body: { name } }, ORGANISATION);
  }

  leaveOrganisation(id: string): Promise<void> {
    return this.#door.command("POST", `/organisations/${encode(id)}/leave`);
  }

  /** Creates an invitation. The link is shown only once. */
  invite(invitation: InvitationRequest): Promise<MadeInvitation> {
    return this.#door.ask("POST", "/invitations", { body: invitation }, ["id", "link"]);
  }

  listInvitations(page: PageOptions = {}): Promise<ListPage<Invitation>> {
    return this.#door.list("/invitations", { query: { ...page } });
  }

  revokeInvitation(id: string): Promise<void> {
    return this.#door.command("DELETE", `/invitations/${encode(id)}`);
  }

  /** Lists browser sessions: the caller's own, or all of the organisation. */
  listSessions(scope: "own" | "organisation" = "own"): Promise<ListPage<BrowserSession>> {
    return this.#door.list("/sessions", { query: { scope } });
  }

  revokeSession(id: string): Promise<void> {
    return this.#door.command("DELETE", `/sessions/${encode(id)}`);
  }
}
