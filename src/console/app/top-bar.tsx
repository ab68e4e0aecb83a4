import type { JSX } from "react";
import { openOrganisation, signOut } from "../live/api.ts";
import { useSession } from "../live/session-store.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { useModLabel } from "../page/keyboard.ts";
import { navigate } from "../page/router.tsx";
import { LiveBadge } from "./live-badge.tsx";
import { setTimeMode, TIME_MODES, type TimeMode, toggleTheme, useTheme, useTimeMode } from "../page/preferences.ts";

const TIME_LABELS: Readonly<Record<TimeMode, string>> = { relative: "Relative", local: "Local", utc: "UTC" };

export function TopBar({
  onSearch,
  onHelp,
}: {
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}): JSX.Element {
  const { organisation, organisations } = useSession();
  const shown = organisations.find(({ id }) => id === organisation)?.name ?? organisation;
  const theme = useTheme();
  const time = useTimeMode();
  const mod = useModLabel();
  const nextTime = TIME_MODES[(TIME_MODES.indexOf(time) + 1) % TIME_MODES.length] ?? "relative";
  return (
    <header className="top-bar">
      <span className="top-bar-organisation cut" title="Organisation">
        {shown}
      </span>
      <button
        type="button"
        className="top-bar-search"
        onClick={onSearch}
        aria-label={`Search or jump to … ${mod} K`}
        aria-keyshortcuts="Control+K"
      >
        <Icon name="search" size={14} />
        <span>Search or jump to …</span>
        <kbd>{mod} K</kbd>
      </button>
      <div className="top-bar-end">
        <LiveBadge />
        <Button
          kind="quiet"
          size="small"
          icon="clock"
          className="top-bar-time"
          title={`Times are ${TIME_LABELS[time].toLowerCase()}; show them ${TIME_LABELS[nextTime].toLowerCase()}`}
          onClick={() => setTimeMode(nextTime)}
        >
          {TIME_LABELS[time]}
        </Button>
        <Button
          kind="quiet"
          size="small"
          icon={theme === "dark" ? "sun" : "moon"}
          label={theme === "dark" ? "Light theme" : "Dark theme"}
          onClick={toggleTheme}
        />
        <Button
          kind="quiet"
          size="small"
          icon="help"
          label="Keyboard shortcuts"
          onClick={onHelp}
          className="top-bar-help"
        />
        <AccountMenu />
      </div>
    </header>
  );
}

/** Menu with the signed-in person and the other organisations of that person. */
function AccountMenu(): JSX.Element {
  const { organisation, organisations, label, agent } = useSession();
  const others = organisations.filter(({ id }) => id !== organisation);
  return (
    <Menu
      label={`Signed in as ${label}${agent === null ? "" : ` (agent ${agent})`}`}
      button={{ kind: "quiet", size: "small", icon: "user" }}
      items={[
        { label: "Your account", icon: "user", onSelect: () => navigate("/account") },
        ...others.map(({ id, name }) => ({
          label: `Switch to ${name}`,
          icon: "right" as const,
          onSelect: () => openOrganisation(id),
        })),
        { label: "API documentation", icon: "external", onSelect: () => void open("/docs", "_blank", "noopener") },
        { label: "Sign out", icon: "signout", onSelect: () => void signOut() },
      ]}
    />
  );
}
