import type { InvitationStore } from "./invitation-store.ts";
import type { KeyStore } from "./key-store.ts";
import type { MembershipStore } from "./membership-store.ts";
import type { OrganisationStore } from "./organisation-store.ts";
import type { PersonStore } from "./person-store.ts";
import type { SessionStore } from "./session-store.ts";

/** People, organisations, keys and sessions: who a caller is and what the caller may do. */
export interface PeopleStore
  extends KeyStore, PersonStore, OrganisationStore, MembershipStore, InvitationStore, SessionStore {}
