import { type FormEvent, type JSX, useEffect, useState } from "react";
import { listProviders, type ShownProvider, signIn } from "../live/api.ts";
import { useAction } from "../page/use-action.ts";
import { Button } from "../parts/button.tsx";
import { ProblemView } from "../parts/problem-view.tsx";
import { SignInCard } from "./sign-in-card.tsx";

/** Sign-in page for people who did not use a one-time link. */
export function SignIn(): JSX.Element {
  const providers = useProviders();
  const isUsedLink = new URLSearchParams(location.search).get("link") === "used";
  return (
    <SignInCard>
      <p className="muted">Every node passes the gates before it may act.</p>
      {isUsedLink && (
        <p className="note" role="status">
          That link was used or has expired. Sign in with a key, or start <code>sluice up</code> again for a new link.
        </p>
      )}
      {providers !== null && providers.length > 0 && (
        <>
          <div className="sign-in-providers">
            {providers.map(({ name, label }) => (
              <a key={name} className="button button-primary button-normal" href={startOf(name)}>
                Sign in with {label}
              </a>
            ))}
          </div>
          <p className="sign-in-or muted">or with a key</p>
        </>
      )}
      {providers !== null && <KeyForm isMain={providers.length === 0} />}
    </SignInCard>
  );
}

/** Form for signing in with a key. With `isMain` it is the only way to sign in, so its field has the focus. */
function KeyForm({ isMain }: { readonly isMain: boolean }): JSX.Element {
  const [key, setKey] = useState("");
  const signing = useAction(signIn);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    void signing.run(key.trim());
  };
  return (
    <>
      <form onSubmit={send}>
        <label htmlFor="key">Key</label>
        <input
          id="key"
          name="key"
          type="password"
          autoComplete="current-password"
          placeholder="slk_…"
          required
          autoFocus={isMain}
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <Button kind={isMain ? "primary" : "plain"} type="submit" isBusy={signing.isBusy}>
          Sign in
        </Button>
      </form>
      {signing.problem !== null && <ProblemView problem={signing.problem} />}
      {isMain && (
        <p className="muted">
          <code>sluice up</code> keeps its key in the file <code>key</code> of its data folder (default:{" "}
          <code>.sluice</code>).
        </p>
      )}
    </>
  );
}

/** Returns the providers for signing in without a key. Null until the server has answered. */
function useProviders(): readonly ShownProvider[] | null {
  const [providers, setProviders] = useState<readonly ShownProvider[] | null>(null);
  useEffect(() => {
    let isShown = true;
    // When the request fails, signing in with a key remains possible.
    void listProviders()
      .catch(() => [])
      .then((found) => isShown && setProviders(found));
    return () => {
      isShown = false;
    };
  }, []);
  return providers;
}

/** Returns the sign-in address of a provider. After signing in, the person returns to the requested page. */
function startOf(name: string): string {
  return `/auth/${name}/start?return=${encodeURIComponent(location.pathname + location.search)}`;
}
