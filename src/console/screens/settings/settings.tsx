import type { JSX } from "react";
import type { Registered } from "../../../client/index.ts";
import { isJsonArray, isJsonObject, jsonToText } from "../../../core/base/index.ts";
import { Link, useSearchParams } from "../../page/router.tsx";
import type { ScreenProps } from "../../page/screen-props.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Badge } from "../../parts/status.tsx";
import type { Column } from "../../parts/table.tsx";
import { shortId } from "../../parts/short-id.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { CellsTab } from "./cells-tab.tsx";
import { DeliveriesView } from "./deliveries-view.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { OrganisationTab } from "./organisation-tab.tsx";
import { PeopleTab } from "./people-tab.tsx";
import { KINDS } from "../../manifest/manifest-kind.ts";
import { RegistryTab, type RegistryTabProps } from "../../manifest/registry-tab.tsx";
import { SlotsView } from "../../manifest/slots-view.tsx";
import { timingText } from "../../manifest/timing-text.ts";
import { useTabAddress } from "../../page/use-tab-address.ts";
import { SETTINGS_TABS } from "./tabs.ts";
import "./settings.css";

export function SettingsScreen({ params }: ScreenProps): JSX.Element {
  const selected = SETTINGS_TABS.find(({ id }) => id === params["tab"])?.id ?? "keys";
  const { get } = useSearchParams();
  const select = useTabAddress("/settings", selected);
  return (
    <>
      <PageHead title="Settings" subtitle="Keys, people, and the objects that workflows refer to." />
      <Tabs label="Settings" isSide tabs={SETTINGS_TABS} selected={selected} onSelect={select}>
        {selected === "keys" && <KeysTab />}
        {selected === "people" && <PeopleTab />}
        {selected === "organisation" && <OrganisationTab />}
        {selected === "cells" && <CellsTab />}
        {!OWN_TABS.has(selected) && (
          <RegistryTab
            key={selected}
            base={`/settings/${selected}`}
            id={params["id"]}
            {...partsOf(selected, get("workflow"))}
          />
        )}
      </Tabs>
    </>
  );
}

/** Tabs that show no registered objects. */
const OWN_TABS: ReadonlySet<string> = new Set(["keys", "people", "organisation", "cells"]);

type Parts = Pick<RegistryTabProps, "kind" | "columns" | "beside" | "sample">;

function partsOf(tab: string, workflow: string | null): Parts {
  switch (tab) {
    case "webhooks":
      return {
        kind: KINDS.webhooks,
        columns: [textColumn("url", "Address"), eventsColumn, enabledColumn],
        beside: (entry) => (entry === null ? null : <DeliveriesView collection="webhooks" name={entry.id} />),
      };
    case "channels":
      return {
        kind: KINDS.channels,
        columns: [textColumn("type", "Type"), rulesColumn, enabledColumn],
        beside: (entry) => (entry === null ? null : <DeliveriesView collection="channels" name={entry.id} />),
      };
    case "schedules":
      return {
        kind: KINDS.schedules,
        columns: [textColumn("workflow", "Workflow"), whenColumn, enabledColumn],
        ...(workflow === null ? {} : { sample: KINDS.schedules.sample.replace("my-workflow", workflow) }),
        beside: (entry) =>
          entry === null ? null : (
            <Panel title="Slots">
              <SlotsView scheduleId={entry.id} />
            </Panel>
          ),
      };
    case "triggers":
      return {
        kind: KINDS.triggers,
        columns: [textColumn("workflow", "Workflow"), sourceColumn, enabledColumn],
        ...(workflow === null ? {} : { sample: KINDS.triggers.sample.replace("my-workflow", workflow) }),
      };
    case "teams":
      return {
        kind: KINDS.teams,
        columns: [{ id: "members", head: "Members", cell: ({ members }) => agentsOf(members) }],
      };
    case "library":
      return { kind: KINDS.library, columns: [textColumn("command", "Command")] };
    case "models":
      return {
        kind: KINDS.models,
        columns: [
          textColumn("provider", "Provider"),
          textColumn("inputUsdPerMtok", "Input $/Mtok"),
          textColumn("outputUsdPerMtok", "Output $/Mtok"),
        ],
      };
    case "credit-plans":
      return { kind: KINDS["credit-plans"], columns: [textColumn("creditsPerUsd", "Per dollar"), enabledColumn] };
    case "retentions":
      return {
        kind: KINDS.retentions,
        columns: [
          textColumn("workflow", "Workflow"),
          textColumn("runs", "Runs"),
          textColumn("verdicts", "Verdicts"),
          textColumn("transcripts", "Transcripts"),
          textColumn("archive", "Archive"),
        ],
      };
    default:
      return placesOf(tab);
  }
}

/** Table columns for the kinds that define what does the work, the places where it is done, and the channels for notifications. */
function placesOf(tab: string): Parts {
  switch (tab) {
    case "deployments":
      return {
        kind: KINDS.deployments,
        columns: [
          textColumn("workflow", "Workflow"),
          textColumn("gateway", "Gateway"),
          textColumn("environment", "Environment"),
        ],
      };
    case "tools":
      return {
        kind: KINDS.tools,
        columns: [textColumn("name", "Tools"), textColumn("server", "Servers"), textColumn("action", "Action")],
      };
    case "functions":
      return {
        kind: KINDS.functions,
        columns: [textColumn("action", "Action"), textColumn("effects", "Effects"), textColumn("description", "For")],
      };
    case "grants":
      return {
        kind: KINDS.grants,
        columns: [
          textColumn("tool", "Tools"),
          grantedToColumn,
          textColumn("where", "Condition"),
          timeColumn("until", "Until"),
          grantedByColumn,
        ],
      };
    case "bindings":
      return {
        kind: KINDS.bindings,
        columns: [textColumn("role", "Role"), textColumn("agent", "Agent"), textColumn("workflow", "Workflow")],
      };
    case "secrets":
      return {
        kind: KINDS.secrets,
        columns: [
          textColumn("version", "Version"),
          { id: "scopes", head: "Scopes", cell: ({ scopes }) => wordsOf(scopes) },
          timeColumn("lastUsedAt", "Last used"),
        ],
      };
    case "alerts":
      return {
        kind: KINDS.alerts,
        columns: [textColumn("on", "Subject"), textColumn("threshold", "Threshold"), textColumn("to", "Webhook")],
      };
    default:
      return {
        kind: KINDS.lenses,
        columns: [{ id: "versions", head: "Versions", cell: ({ versions }) => idsOf(versions) }],
      };
  }
}

const whenColumn: Column<Registered> = {
  id: "when",
  head: "Timing",
  cell: (entry) => <code>{timingText(entry)}</code>,
};

function textColumn(key: string, head: string): Column<Registered> {
  return {
    id: key,
    head,
    cell: (entry) => {
      const value = entry[key];
      return value === undefined || value === null ? (
        <span className="muted">–</span>
      ) : (
        <span className="manifest-cell">{jsonToText(value)}</span>
      );
    },
    sortBy: (entry) => (entry[key] === undefined || entry[key] === null ? null : jsonToText(entry[key])),
  };
}

function timeColumn(key: string, head: string): Column<Registered> {
  const at = (entry: Registered): string | null => {
    const value = entry[key];
    return typeof value === "string" ? value : null;
  };
  return { id: key, head, cell: (entry) => <TimeText at={at(entry)} />, sortBy: at };
}

const grantedToColumn: Column<Registered> = {
  id: "for",
  head: "Calls of",
  cell: ({ run, agent }) =>
    typeof run === "string" ? (
      <Link to={`/runs/${encodeURIComponent(run)}`}>
        <code title={run}>{shortId(run)}</code>
      </Link>
    ) : (
      wordsOf([agent ?? null])
    ),
};
const grantedByColumn: Column<Registered> = {
  id: "from",
  head: "From",
  cell: ({ approval, by }) =>
    typeof approval === "string" ? (
      <Link to={`/approvals?id=${encodeURIComponent(approval)}`}>{typeof by === "string" ? by : "an approval"}</Link>
    ) : (
      <span className="muted">registered</span>
    ),
};
const sourceColumn: Column<Registered> = {
  id: "on",
  head: "Started by",
  cell: ({ on }) => (isJsonObject(on) ? Object.keys(on).join(", ") : ""),
};
const enabledColumn: Column<Registered> = {
  id: "enabled",
  head: "State",
  cell: ({ enabled }) => (enabled === false ? <Badge tone="warn">disabled</Badge> : <Badge tone="ok">enabled</Badge>),
};

const eventsColumn: Column<Registered> = {
  id: "events",
  head: "Events",
  isWide: true,
  cell: ({ events }) => (
    <span className="settings-events" title={wordsOf(events)}>
      {wordsOf(events)}
    </span>
  ),
};

const rulesColumn: Column<Registered> = {
  id: "notify",
  head: "Used for",
  isWide: true,
  cell: ({ notify }) => <span className="settings-events">{listed(notify, "on")}</span>,
};

function wordsOf(value: Registered[string] | undefined): string {
  return isJsonArray(value) ? value.map(jsonToText).join(", ") : "";
}

function idsOf(value: Registered[string] | undefined): string {
  return listed(value, "id");
}

function agentsOf(value: Registered[string] | undefined): string {
  return listed(value, "agent");
}

function listed(value: Registered[string] | undefined, key: string): string {
  if (!isJsonArray(value)) return "";
  return value.map((item) => (isJsonObject(item) ? jsonToText(item[key]) : "")).join(", ");
}
