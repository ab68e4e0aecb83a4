import { type FormEvent, type JSX, useState } from "react";
import { signIn } from "../live/api.ts";
import { useAction } from "../page/use-action.ts";
import { Button } from "../parts/button.tsx";
import { Logo } from "../parts/icon.tsx";
import { ProblemView } from "../parts/problem-view.tsx";
import "./sign-in.css";

/** For people who did not come by a one-time link. */
export function SignIn(): JSX.Element {
  const [key, setKey] = useState("");
  const signing = useAction(signIn);
  const isUsedLink = new URLSearchParams(location.search).get("link") === "used";
  const send = (event: FormEvent): void => {
    event.preventDefault();
    void signing.run(key.trim());
  };
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1>
          <Logo /> Sluice
        </h1>
        <p className="muted">Every node passes the gates before it may act.</p>
        {isUsedLink && (
          <p className="note" role="status">
            That link was used or has expired. Sign in with a key, or start <code>sluice up</code> again for a new link.
          </p>
        )}
        <form onSubmit={send}>
          <label htmlFor="key">Key</label>
          <input
            id="key"
            name="key"
            type="password"
            autoComplete="current-password"
            placeholder="slk_…"
            required
            autoFocus
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
          <Button kind="primary" type="submit" isBusy={signing.isBusy}>
            Sign in
          </Button>
        </form>
        {signing.problem !== null && <ProblemView problem={signing.problem} />}
        <p className="muted">
          <code>sluice up</code> keeps its key in the file <code>key</code> of its data folder (default:{" "}
          <code>.sluice</code>).
        </p>
      </div>
    </main>
  );
}
