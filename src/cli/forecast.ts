import type { SimulationReport } from "../client/index.ts";
import { formatCost, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { formatTable } from "./table.ts";
import { createPaint, oneLine, printable } from "./terminal-text.ts";

type NodeForecast = SimulationReport["nodes"][number];

const HEAD = ["NODE", "VERDICT", "GATE", "RESERVED", "FORECAST", "DURATION", "RESULT"];

/** Prints the forecast of a workflow. `about` names the rules that were used. */
export function printForecast(io: Io, report: SimulationReport, about: string): void {
  const { workflow, status, nodes, forecast, error } = report;
  const paint = createPaint(io.out, io.env);
  io.out.write(formatTable([HEAD, ...nodes.map(rowOf)]));
  printReasons(io, report);
  const people = forecast.waitsForPerson.map(oneLine);
  const reasons = [error?.code, error?.message].flatMap((part) =>
    part === undefined || part === null ? [] : oneLine(part),
  );
  const why = reasons.length === 0 ? "" : ` (${reasons.join(": ")})`;
  io.out.write(`\n${paint("bold", `${oneLine(workflow)}: ${status}`)}${why}\n`);
  io.out.write(`cost      ${formatCost(forecast.costMicros)}\n`);
  if (forecast.reservedMicros > 0) io.out.write(`reserved  ${formatCost(forecast.reservedMicros)}\n`);
  const path = forecast.criticalPath.map(oneLine).join(" → ");
  const along = path === "" ? "" : ` (${path})`;
  io.out.write(`duration  ${formatDuration(forecast.durationMs)}${along}, people not counted\n`);
  io.out.write(`people    ${people.length === 0 ? "no approvals" : `wait at ${people.join(", ")}`}\n`);
  io.out.write(`verdicts  ${about}\n`);
}

function rowOf(node: NodeForecast): readonly string[] {
  const { nodeId, instances, verdict, gate, code, status } = node;
  return [
    oneLine(instances === null ? nodeId : `${nodeId} ×${instances}`),
    verdict ?? "–",
    gate ?? (node.waitsForPerson ? "person" : "–"),
    node.reservedMicros > 0 ? formatCost(node.reservedMicros) : "–",
    node.costMicros > 0 ? formatCost(node.costMicros) : "–",
    node.durationMs === null ? "–" : formatDuration(node.durationMs),
    code === null ? status : `${status} (${oneLine(code)})`,
  ];
}

/** Prints the persons that the run would wait for, and the reasons for blocked nodes and calls. */
function printReasons(io: Io, { launch, nodes, approvals, calls }: SimulationReport): void {
  const paint = createPaint(io.out, io.env);
  const lines: string[] = [];
  const unblock = (explanation: NodeForecast["explanation"]): void => {
    for (const { action, target, detail } of explanation?.unblock ?? []) {
      lines.push(`  ${paint("cyan", "hint:")} ${oneLine(action)} ${oneLine(target)}: ${oneLine(detail)}`);
    }
  };
  if (launch.explanation !== null) {
    const { gate, code, message } = launch.explanation;
    lines.push(`${paint("red", "would not start")}: ${gate}: ${code}: ${printable(message)}`);
    unblock(launch.explanation);
  }
  for (const { nodeId, round, tool, server, disposition, gate, code, reason } of calls) {
    if (disposition === "allow") continue;
    const colour = disposition === "deny" ? "red" : "yellow";
    const what = paint(colour, disposition === "deny" ? "would be denied" : "would be held");
    const why = [gate, code === gate ? null : code, reason].flatMap((part) => (part === null ? [] : [oneLine(part)]));
    const called = server === null ? tool : `${server}/${tool}`;
    lines.push(`${oneLine(nodeId)} round ${round}: ${oneLine(called)} ${what}: ${why.join(": ")}`);
  }
  for (const { nodeId, summary, approvers, decision } of approvals) {
    const who = approvers.length === 0 ? "anyone who may approve" : approvers.map(oneLine).join(", then ");
    const then = decision === null ? "stays open" : `continues as if answered ${decision}`;
    lines.push(`${oneLine(nodeId)} ${paint("yellow", `would wait for ${who}`)}: ${oneLine(summary)}; ${then}`);
  }
  for (const { nodeId, verdict, explanation } of nodes) {
    if (verdict !== "block" || explanation === null) continue;
    lines.push(`${oneLine(nodeId)} ${paint("red", "would be blocked")}: ${oneLine(explanation.message)}`);
    unblock(explanation);
  }
  if (lines.length > 0) io.out.write(`\n${lines.join("\n")}\n`);
}
