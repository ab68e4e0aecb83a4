import { Component, type JSX, type ReactNode, Suspense, useState } from "react";
import { Empty } from "../parts/empty.tsx";
import { ProblemView } from "../parts/problem-view.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useShortcuts } from "../page/keyboard.ts";
import { LeaveDialog } from "./leave-dialog.tsx";
import { Palette } from "./palette.tsx";
import { toggleTheme } from "../page/preferences.ts";
import { Link, navigate, usePlace } from "../page/router.tsx";
import { routeOf } from "./routes.ts";
import { SECTIONS } from "./sections.ts";
import { ShortcutsOverlay } from "./shortcuts-overlay.tsx";
import { Sidebar } from "./sidebar.tsx";
import { TopBar } from "./top-bar.tsx";
import { useApprovalNotice } from "./use-approval-notice.tsx";
import "./shell.css";

/** Frame around every screen: sidebar, top bar and dialogs. */
export function Shell(): JSX.Element {
  const { path } = usePlace();
  const found = routeOf(path);
  useApprovalNotice();
  const [over, setOver] = useState<"palette" | "shortcuts" | null>(null);
  useShortcuts([
    { keys: "mod+k", label: "Search and commands", group: "Everywhere", run: () => setOver("palette") },
    { keys: "?", label: "These shortcuts", group: "Everywhere", run: () => setOver("shortcuts") },
    { keys: "/", label: "Search", group: "Everywhere", run: () => setOver("palette") },
    { keys: "g d", label: "Dark or light", group: "Everywhere", run: toggleTheme },
    ...SECTIONS.map(({ label, letter, path: to }) => ({
      keys: `g ${letter}`,
      label: `Go to ${label}`,
      group: "Go to",
      run: () => navigate(to),
    })),
  ]);
  const close = (): void => setOver(null);
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Sidebar section={found?.route.section ?? ""} />
      <div className="shell-column">
        <TopBar onSearch={() => setOver("palette")} onHelp={() => setOver("shortcuts")} />
        <main id="main" tabIndex={-1}>
          {found === null ? (
            <Empty icon="search" title="There is no such page">
              <Link to="/">Go home</Link>
            </Empty>
          ) : (
            <ErrorBoundary key={found.key} place={path}>
              <Suspense fallback={<Skeleton lines={6} height={28} />}>
                <found.route.screen params={found.params} />
              </Suspense>
            </ErrorBoundary>
          )}
        </main>
      </div>
      {over === "palette" && <Palette onClose={close} onHelp={() => setOver("shortcuts")} />}
      <LeaveDialog />
      {over === "shortcuts" && <ShortcutsOverlay onClose={close} />}
    </div>
  );
}

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Address of the screen. */
  readonly place: string;
}

interface ErrorBoundaryState {
  readonly error: Error | null;
  readonly place: string;
}

/** Error boundary. An error in one screen does not affect the rest of the page. */
class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null, place: this.props.place };

  static getDerivedStateFromError(error: Error): Pick<ErrorBoundaryState, "error"> {
    return { error };
  }

  /**
   * Clears the error when the address changes, since another tab of the screen may work. A screen without an error is not mounted again.
   */
  static getDerivedStateFromProps(
    { place }: ErrorBoundaryProps,
    before: ErrorBoundaryState,
  ): ErrorBoundaryState | null {
    return place === before.place ? null : { error: null, place };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <>
        <h1>This page failed</h1>
        <ProblemView isOfPage problem={error} onRetry={() => location.reload()} />
      </>
    );
  }
}
