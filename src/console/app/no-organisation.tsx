import type { JSX } from "react";
import type { Session } from "../../client/index.ts";
import { openOrganisation, signOut } from "../live/api.ts";
import { Button } from "../parts/button.tsx";
import { SignInCard } from "./sign-in-card.tsx";

interface NoOrganisationProps {
  readonly session: Session;
  /** The organisation in the address. Null when the person is not a member of any. */
  readonly wanted: string | null;
}

/** Page for people who are signed in but have no access to the requested organisation. */
export function NoOrganisation({ session, wanted }: NoOrganisationProps): JSX.Element {
  const { organisations, label } = session;
  return (
    <SignInCard>
      <p>
        {wanted === null ? "You are not a member of an organisation yet." : `You are not a member of ${wanted}.`} Ask
        one of its admins for an invitation to {session.person?.email ?? "your email address"}.
      </p>
      {session.person !== null && session.person.email === null && (
        <p className="note" role="status">
          Your provider has not verified an email address of yours. Invitations need one.
        </p>
      )}
      {organisations.length > 0 && (
        <div className="sign-in-providers">
          {organisations.map(({ id, name }) => (
            <Button key={id} kind="primary" onClick={() => openOrganisation(id)}>
              Open {name}
            </Button>
          ))}
        </div>
      )}
      <p className="muted">Signed in as {label}.</p>
      <Button icon="signout" onClick={() => void signOut()}>
        Sign out
      </Button>
    </SignInCard>
  );
}
