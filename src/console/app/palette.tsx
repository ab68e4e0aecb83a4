import { type JSX, type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import type { Run } from "../../client/index.ts";
import { api, signOut } from "../live/api.ts";
import { useMay } from "../live/session-store.ts";
import { useQuery } from "../live/use-query.ts";
import { useWorkflows } from "../live/use-registered.ts";
import { useRunList } from "../live/use-run-list.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { shownShortcuts } from "../page/keyboard.ts";
import { setTimeMode, toggleTheme } from "../page/preferences.ts";
import { navigate } from "../page/router.tsx";
import { best } from "../parts/score.ts";
import { namedObjects, waitingApprovals } from "./palette-objects.ts";
import type { Tab } from "../parts/tabs.tsx";
import { useInSight } from "../parts/use-in-sight.ts";
import { GOVERNANCE_TABS } from "../screens/governance/tabs.ts";
import { SETTINGS_TABS } from "../screens/settings/tabs.ts";
import { valueLine } from "../parts/value-line.ts";
import { SECTIONS } from "./sections.ts";
import { useFoundRuns } from "./use-found-runs.ts";
import "./palette.css";

interface Command {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly icon: IconName;
  readonly run: () => void;
}

const SHOWN_MAX = 12;

/** Command palette. Finds pages, objects and commands by a few letters of the name. */
export function Palette({
  onClose,
  onHelp,
}: {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}): JSX.Element {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const commands = useCommands(onHelp);
  const byWords = useFoundRuns(typed);
  const found = useMemo(() => foundFor(commands, typed, byWords), [commands, typed, byWords]);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const choose = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((at + step + found.length) % Math.max(found.length, 1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(found[at]);
    }
  };
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Search and commands"
      onClose={onClose}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found[at] === undefined ? undefined : `${listId}-${at}`}
        aria-label="Search workflows, runs, agents, policies, settings and commands"
        placeholder="Search workflows, runs, agents, policies, settings and commands"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <Found id={listId} commands={found} at={at} onPoint={setAt} onChoose={choose} />
      {found.length === 0 && <p className="palette-none muted">No results</p>}
    </dialog>
  );
}

interface FoundProps {
  readonly id: string;
  readonly commands: readonly Command[];
  readonly at: number;
  readonly onPoint: (at: number) => void;
  readonly onChoose: (command: Command) => void;
}

function Found({ id, commands, at, onPoint, onChoose }: FoundProps): JSX.Element {
  useInSight(`${id}-${at}`);
  return (
    <ul id={id} role="listbox" aria-label="Found">
      {commands.map((command, index) => (
        <li
          key={command.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          onMouseMove={() => onPoint(index)}
          onClick={() => onChoose(command)}
        >
          <Icon name={command.icon} />
          <span className="cut">{command.label}</span>
          <span className="muted">{command.kind}</span>
        </li>
      ))}
    </ul>
  );
}

const RUN_ID = /^run_\w+$/;

/** Returns the commands for the typed text. A full run id is always offered, even if the run is not among the newest. */
function foundFor(commands: readonly Command[], typed: string, runs: readonly Run[]): readonly Command[] {
  const id = typed.trim();
  const direct: Command[] = RUN_ID.test(id)
    ? [{ id: `open ${id}`, label: `Open ${id}`, kind: "Run", icon: "run", run: () => navigate(`/runs/${id}`) }]
    : [];
  const named = best(commands, typed, ({ label, kind }) => `${label} ${kind}`, SHOWN_MAX);
  // Letters in the right order match many names by chance, so labels that contain the typed text come first.
  const hasWords = ({ label }: Command): boolean => label.toLowerCase().includes(id.toLowerCase());
  const inOrder = [...named.filter(hasWords), ...runs.map(runCommand), ...named];
  const first = inOrder.filter((command, at) => inOrder.findIndex((each) => each.id === command.id) === at);
  return [...direct, ...first];
}

function runCommand({ id, workflow, status, args }: Run): Command {
  return {
    id,
    label: [workflow, valueLine(args), id].filter((part) => part !== "").join(" "),
    kind: `Run, ${status.replaceAll("_", " ")}`,
    icon: "run",
    run: () => navigate(`/runs/${id}`),
  };
}

const SCREENS = SECTIONS.map(({ id, label, path, icon }): Command => ({
  id,
  label: `Go to ${label}`,
  kind: "Page",
  icon,
  run: () => navigate(path),
}));

/** Tabs and pages that have their own address. */
const PARTS: readonly Command[] = [
  { id: "/account", label: "Your account", kind: "Page", icon: "user", run: () => navigate("/account") },
  ...partsOf("Governance", "/governance", "gate", GOVERNANCE_TABS),
  ...partsOf("Settings", "/settings", "settings", SETTINGS_TABS),
];

function partsOf(section: string, base: string, icon: IconName, tabs: readonly Tab[]): readonly Command[] {
  return tabs.map(({ id, label }) => ({
    id: `${base}/${id}`,
    label: `${section}: ${label}`,
    kind: "Page",
    icon,
    run: () => navigate(`${base}/${id}`),
  }));
}

function useCommands(onHelp: () => void): readonly Command[] {
  const workflows = useWorkflows(useMay("workflow:read")).data;
  const runs = useRunList(useMay("run:read") ? {} : null, 1, 50).data;
  const objects = useQuery("palette/objects", () => namedObjects(api), {
    tags: ["agents", "policies", "budgets"],
    freshMs: 10_000,
  }).data;
  const approvals = useQuery("palette/approvals", () => waitingApprovals(api), { tags: ["approvals"] }).data;
  return useMemo(() => {
    const things = [...(objects ?? []), ...(approvals ?? [])].map(({ label, kind, icon, path }, index): Command => ({
      id: `${path} ${index}`,
      label,
      kind,
      icon,
      run: () => navigate(path),
    }));
    const doing: Command[] = [
      { id: "theme", label: "Toggle dark and light", kind: "Command", icon: "moon", run: toggleTheme },
      { id: "relative", label: "Times: relative", kind: "Command", icon: "clock", run: () => setTimeMode("relative") },
      { id: "local", label: "Times: local", kind: "Command", icon: "clock", run: () => setTimeMode("local") },
      { id: "utc", label: "Times: UTC", kind: "Command", icon: "clock", run: () => setTimeMode("utc") },
      { id: "help", label: "Keyboard shortcuts", kind: "Command", icon: "help", run: onHelp },
      { id: "out", label: "Sign out", kind: "Command", icon: "signout", run: () => void signOut() },
    ];
    // Shortcuts of the current screen can also be used from here.
    const here = shownShortcuts()
      .filter(({ group }) => group !== "Everywhere" && group !== "Go to")
      .map(({ keys, label, group, run }): Command => ({ id: `key ${keys}`, label, kind: group, icon: "right", run }));
    const named = (workflows ?? []).map(({ name }): Command => ({
      id: `workflow ${name}`,
      label: name,
      kind: "Workflow",
      icon: "workflow",
      run: () => navigate(`/workflows/${encodeURIComponent(name)}`),
    }));
    const recent = (runs?.runs ?? []).map(runCommand);
    return [...SCREENS, ...here, ...named, ...things, ...PARTS, ...recent, ...doing];
  }, [workflows, runs, objects, approvals, onHelp]);
}
