import type { JsonObject } from "../../../../core/base/index.ts";
import type { IconName } from "../../../parts/icon.tsx";

/** A kind of step in the palette: its initial content and its purpose. */
export interface PaletteEntry {
  readonly id: string;
  readonly label: string;
  readonly about: string;
  readonly icon: IconName;
  readonly group: "Work" | "Flow" | "Data" | "People" | "End";
  readonly step: JsonObject;
}

export const PALETTE: readonly PaletteEntry[] = [
  entry("agent", "Agent", "An agent follows an instruction.", "run", "Work", { id: "ask", command: "" }),
  entry("http", "HTTP request", "Calls a service and reads its answer.", "external", "Work", {
    id: "fetch",
    provider: "http",
    command: "",
  }),
  entry("function", "Function", "Runs code of a worker of yours.", "settings", "Work", { id: "call", function: "" }),
  entry("tool", "Tool", "Calls one tool of an MCP server.", "gateway", "Work", {
    id: "use_tool",
    provider: "mcp",
    command: "",
  }),
  entry("child", "Workflow", "Runs another workflow and waits for it.", "workflow", "Work", {
    id: "child",
    workflow_ref: "",
  }),
  entry("gate", "Approval", "Waits until a person approves.", "approval", "People", {
    id: "approve",
    approval: "required",
  }),
  entry("for_each", "For each", "Does its steps once for every element of a list.", "menu", "Flow", {
    id: "each",
    for_each: "",
    as: "item",
    steps: [],
  }),
  entry("choose", "Choose", "Takes the first branch whose condition holds.", "compare", "Flow", {
    id: "decide",
    choose: [{ when: "", steps: [] }],
  }),
  entry("repeat", "Repeat", "Does something again until a condition holds.", "redo", "Flow", {
    id: "again",
    command: "",
    repeat: { until: "", max: 3 },
  }),
  entry("block", "Block", "Steps that belong together.", "stop", "Flow", { id: "block", steps: [] }),
  entry("wait", "Wait", "Continues after a while.", "clock", "Flow", { id: "pause", wait: "5m" }),
  entry("event", "Wait for event", "Continues when an event comes.", "gate", "Flow", {
    id: "await_event",
    wait: { event: "" },
  }),
  entry("emit", "Emit event", "Something happened: other runs may wait for it.", "trend", "Flow", {
    id: "announce",
    emit: { type: "" },
  }),
  entry("set", "Set values", "Calculates values from others.", "filter", "Data", { id: "values", set: { value: "" } }),
  entry("script", "Script", "A few lines of JavaScript, without a network.", "audit", "Data", {
    id: "script",
    script: "return {};",
  }),
  entry("cancel", "End the run", "Ends the run early, with a reason.", "skip", "End", { id: "end", cancel: "" }),
  entry("fail", "Fail the run", "Ends the run as failed.", "cross", "End", { id: "stop", fail: "" }),
];

export const PALETTE_GROUPS = ["Work", "People", "Flow", "Data", "End"] as const;

function entry(
  id: string,
  label: string,
  about: string,
  icon: IconName,
  group: PaletteEntry["group"],
  step: JsonObject,
): PaletteEntry {
  return { id, label, about, icon, group, step };
}
