import { type JSX, useEffect } from "react";
import { loadSession } from "../live/api.ts";
import { cache } from "../live/cache.ts";
import { startLive, useLiveState } from "../live/connection.ts";
import { session } from "../live/session-store.ts";
import { useStore } from "../page/store.ts";
import { Button } from "../parts/button.tsx";
import { ProblemView } from "../parts/problem-view.tsx";
import { Toasts } from "../parts/toast.tsx";
import { NoOrganisation } from "./no-organisation.tsx";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";

export function App(): JSX.Element {
  const state = useStore(session);
  const organisation = state.phase === "signed-in" ? state.session.organisation : null;
  const { phase: livePhase } = useLiveState();
  useEffect(() => void loadSession(), []);
  // The session or membership was ended elsewhere, so the rights of the person are loaded again at once.
  useEffect(() => {
    if (livePhase === "signed-out" && session.get().phase === "signed-in") void loadSession();
  }, [livePhase]);
  useEffect(() => {
    if (organisation !== null) startLive(organisation);
    if (state.phase === "signed-out") cache.clear();
  }, [state.phase, organisation]);
  if (state.phase === "asking") return <div className="boot" aria-busy="true" />;
  if (state.phase === "signed-out") return <SignIn />;
  if (state.phase === "no-organisation") return <NoOrganisation session={state.session} wanted={state.wanted} />;
  if (state.phase === "unreachable") {
    return (
      <main className="boot">
        <h1>The server cannot be reached</h1>
        <ProblemView problem={state.problem} />
        <Button onClick={() => void loadSession()}>Try again</Button>
      </main>
    );
  }
  return (
    <>
      <Shell />
      <Toasts />
    </>
  );
}
