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
import type { RequestParts, Needs } from "./caller.ts";
import { encode } from "./query.ts";

/** The members of `Caller` with which requests are sent here. */
interface Requests {
  ask<T>(method: string, path: string, asked: RequestParts, needs: Needs): Promise<T>;
  list<T>(path: string, asked: RequestParts): Promise<T>;
  command(method: string, path: string): Promise<void>;
}

const PERSON: Needs = ["id", "roles", "groups"];
const ORGANISATION: Needs = ["id", "name"];
const LIMITS: Needs = ["id", "limits"];

/** Part of the API for people: members, organisations, invitations and sessions. */
export class PeopleClient {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  list(page: PageOptions = {}): Promise<ListPage<Person>> {
    return this.#requests.list("/persons", { query: { ...page } });
  }

  get(personId: string): Promise<Person> {
    return this.#requests.ask("GET", `/persons/${encode(personId)}`, {}, PERSON);
  }

  change(personId: string, change: MemberRequest): Promise<Person> {
    return this.#requests.ask("PATCH", `/persons/${encode(personId)}`, { body: change }, PERSON);
  }

  /** Ends the membership of a person. */
  remove(personId: string): Promise<void> {
    return this.#requests.command("DELETE", `/persons/${encode(personId)}`);
  }

  setDeputy(deputy: DeputyRequest): Promise<Person> {
    return this.#requests.ask("PUT", "/me/deputy", { body: deputy }, PERSON);
  }

  removeDeputy(): Promise<Person> {
    return this.#requests.ask("DELETE", "/me/deputy", {}, PERSON);
  }

  listOrganisations(): Promise<ListPage<Organisation>> {
    return this.#requests.list("/organisations", {});
  }

  createOrganisation(organisation: OrganisationRequest): Promise<MadeOrganisation> {
    return this.#requests.ask("POST", "/organisations", { body: organisation }, ORGANISATION);
  }

  /** Returns the limits of an organisation and how much of each is used. */
  limitsOf(id: string): Promise<OrganisationLimitsView> {
    return this.#requests.ask("GET", `/organisations/${encode(id)}/limits`, {}, LIMITS);
  }

  renameOrganisation(id: string, name: string): Promise<Organisation> {
    return this.#requests.ask("PATCH", `/organisations/${encode(id)}`, { body: { name } }, ORGANISATION);
  }

  leaveOrganisation(id: string): Promise<void> {
    return this.#requests.command("POST", `/organisations/${encode(id)}/leave`);
  }

  /** Creates an invitation. The link is shown only once. */
  invite(invitation: InvitationRequest): Promise<MadeInvitation> {
    return this.#requests.ask("POST", "/invitations", { body: invitation }, ["id", "link"]);
  }

  listInvitations(page: PageOptions = {}): Promise<ListPage<Invitation>> {
    return this.#requests.list("/invitations", { query: { ...page } });
  }

  revokeInvitation(id: string): Promise<void> {
    return this.#requests.command("DELETE", `/invitations/${encode(id)}`);
  }

  /** Lists browser sessions: the caller's own, or all of the organisation. */
  listSessions(scope: "own" | "organisation" = "own"): Promise<ListPage<BrowserSession>> {
    return this.#requests.list("/sessions", { query: { scope } });
  }

  revokeSession(id: string): Promise<void> {
    return this.#requests.command("DELETE", `/sessions/${encode(id)}`);
  }
}
