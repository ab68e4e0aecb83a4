import { type NodeResult, relaunchText } from "../core/view/index.ts";
import type { NodeDetail, Relaunched, Run, State } from "../client/index.ts";
import type { Api } from "./api.ts";
import { nestedNodes } from "./block-states.ts";
import { EXIT } from "./exit-code.ts";
import { formatCost, formatDuration } from "./figures.ts";
import { followRun } from "./follow.ts";
import type { Io } from "./io.ts";
import { formatWhen, printFacts, printJson } from "./listing.ts";
import { withLargeValues } from "./large-value.ts";
import { durationText, errorText, labelsText, nameOf, statusText } from "./run-text.ts";
import { printFailures, outputText } from "./run-outcome.ts";
import { Refusal } from "./refusal.ts";
import { followedOf } from "./remote-plan.ts";
import { formatTable } from "./table.ts";
import { oneLine, printable } from "./terminal-text.ts";
import { printTurn } from "./turn-text.ts";

export interface ShowRunOptions {
  readonly json?: boolean;
  readonly node?: string;
  /** Number of an event. The run is shown as it was after that event. */
  readonly at?: number;
}

/** Prints a run with all its nodes, or everything known about one node. */
export async function showRun(io: Io, api: Api, id: string, options: ShowRunOptions): Promise<number> {
  const { at } = options;
  if (options.node !== undefined) return showNode(io, api, id, options.node, options);
  const [run, { state, timestamp }] = await Promise.all([api.getRun(id), stateOf(api, id, at)]);
  if (options.json === true) {
    printJson(io, { ...run, state });
    return EXIT.fine;
  }
  const now = io.clock.now();
  printFacts(io, [
    ["run", run.id],
    ["workflow", nameOf(run)],
    ["at event", at === undefined ? null : String(at)],
    ["status", statusText(state, at === undefined ? run.paused : null)],
    ["created", formatWhen(run.createdAt, now)],
    ["duration", timestamp === null ? durationText(run, now) : durationUntil(run, timestamp)],
    ["cost", state.costMicros > 0 ? formatCost(state.costMicros) : null],
    ["labels", labelsText(run)],
    ["error", run.error === undefined ? null : errorText(run.error)],
    ["parent", run.parentRunId],
    ["block", run.block],
    ["args", oneLine(JSON.stringify(run.args))],
  ]);
  // The state of a block at an earlier event of its parent run is not known.
  const { nodes, hidden } =
    at === undefined
      ? await nestedNodes(api, id, state.nodeResults)
      : { nodes: state.nodeResults.map((node) => ({ node, depth: 0 })), hidden: 0 };
  const rows = nodes.map(({ node, depth }) => nodeRow(node, depth));
  io.out.write(`\n${formatTable([["NODE", "STATUS", "ATTEMPTS", "DURATION", "COST", "DETAIL"], ...rows])}`);
  if (hidden > 0) io.out.write(`… the nodes of ${hidden} more blocks are not shown\n`);
  return EXIT.fine;
}

interface Seen {
  readonly state: State;
  /** Moment of the event that is shown. Null when the run is shown as it is now. */
  readonly timestamp: string | null;
}

async function stateOf(api: Api, id: string, at: number | undefined): Promise<Seen> {
  return at === undefined ? { state: await api.getState(id), timestamp: null } : api.getCheckpoint(id, at);
}

function nodeRow(node: NodeResult, depth = 0): readonly string[] {
  const { nodeId, status, attempts, durationMs, costMicros, errorCode, errorMessage, waitingReason } = node;
  const handled = node.isHandled ? "handled: " : "";
  const detail = errorCode === null ? (waitingReason ?? "") : `${handled}${errorCode}: ${oneLine(errorMessage ?? "")}`;
  return [
    `${"  ".repeat(depth)}${oneLine(nodeId)}`,
    status,
    String(attempts),
    durationMs === null ? "–" : formatDuration(durationMs),
    costMicros > 0 ? formatCost(costMicros) : "–",
    detail,
  ];
}

async function showNode(io: Io, api: Api, id: string, nodeId: string, options: ShowRunOptions): Promise<number> {
  if (options.json === true && options.at === undefined) {
    printJson(io, await api.getNode(id, nodeId));
    return EXIT.fine;
  }
  const { nodeResults } = (await stateOf(api, id, options.at)).state;
  const node = nodeResults.find((one) => one.nodeId === nodeId);
  if (node === undefined) throw new Refusal(`the run ${printable(id)} has no node "${printable(nodeId)}"`);
  if (options.json === true) {
    printJson(io, node);
    return EXIT.fine;
  }
  io.err.write(formatTable([nodeRow(node)]));
  if (options.at === undefined) {
    const [turn, detail] = await Promise.all([api.getTurn(id, nodeId), api.getNode(id, nodeId)]);
    printTurn(io, turn);
    printEdits(io, detail, turn.rounds.length > 0);
  }
  if (node.status === "completed") io.out.write(outputText(await withLargeValues(api, node)).replace(/\n?$/, "\n"));
  else printFailures(io, [node]);
  return EXIT.fine;
}

/** Prints which person edited what the node was asked, and its result. */
function printEdits(io: Io, { promptBy, resultBy }: NodeDetail, hasTurn: boolean): void {
  if (promptBy !== null) io.err.write(`${oneLine(promptBy)} has edited this ${hasTurn ? "message" : "prompt"}.\n`);
  if (resultBy !== null) io.err.write(`${oneLine(resultBy)} has edited this result.\n`);
}

export interface WatchOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly wait: boolean;
}

export async function watchRun(io: Io, api: Api, id: string, options: WatchOptions): Promise<number> {
  return followRun(io, api, await followedOf(api, await api.getRun(id)), { ...options, isOwn: false });
}

export interface ActionOptions extends WatchOptions {
  readonly watch?: boolean;
}

export async function cancelRun(io: Io, api: Api, id: string, options: ActionOptions): Promise<number> {
  return printActionResult(io, api, await api.cancelRun(id), options, "is being cancelled");
}

export interface PauseOptions extends ActionOptions {
  readonly reason?: string;
}

export async function pauseRun(io: Io, api: Api, id: string, options: PauseOptions): Promise<number> {
  return printActionResult(io, api, await api.pauses.pauseRun(id, options.reason), options, "is paused");
}

export async function resumeRun(io: Io, api: Api, id: string, options: PauseOptions): Promise<number> {
  return printActionResult(io, api, await api.pauses.resumeRun(id, options.reason), options, "continues");
}

export async function recoverRun(io: Io, api: Api, id: string, options: ActionOptions): Promise<number> {
  return printActionResult(io, api, await api.recoverRun(id), options, "continues");
}

export interface ResolveNodeOptions extends ActionOptions {
  readonly assignTo?: string;
  readonly value?: readonly string[];
}

/** Unblocks a node that waits for values or for an agent to take it. */
export async function resolveNode(
  io: Io,
  api: Api,
  id: string,
  nodeId: string,
  options: ResolveNodeOptions,
): Promise<number> {
  const { assignTo, value = [] } = options;
  if (assignTo === undefined && value.length === 0) {
    throw new Refusal("name who gets the node with --assign-to, or give missing values with --value name=text");
  }
  const values = Object.fromEntries(value.map(readValue));
  const given = {
    ...(assignTo === undefined ? {} : { assignTo }),
    ...(value.length === 0 ? {} : { values }),
  };
  return printActionResult(
    io,
    api,
    await api.resolveNode(id, nodeId, given),
    options,
    `continues with ${printable(nodeId)}`,
  );
}

function readValue(text: string): readonly [string, string] {
  const equals = text.indexOf("=");
  if (equals < 1) throw new Refusal(`--value ${printable(text)}: write it as name=text`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

export async function restartRun(
  io: Io,
  api: Api,
  id: string,
  options: ActionOptions & { readonly fromNode?: string },
): Promise<number> {
  return printRelaunch(io, api, await api.restartRun(id, options.fromNode), options, `started from ${printable(id)}`);
}

export async function rewindRun(
  io: Io,
  api: Api,
  id: string,
  options: ActionOptions & { readonly to: number },
): Promise<number> {
  return printActionResult(io, api, await api.rewindRun(id, options.to), options, `continues from event ${options.to}`);
}

/** Prints a run that reuses results of another, with the nodes that are kept and the nodes that run again. */
export function printRelaunch(
  io: Io,
  api: Api,
  run: Relaunched,
  options: ActionOptions,
  what: string,
): Promise<number> {
  return printActionResult(io, api, run, options, what, `${printable(relaunchText(run))}\n`);
}

/** Prints the result of an action. The id of the run goes to standard output as data. */
async function printActionResult(
  io: Io,
  api: Api,
  run: Run,
  options: ActionOptions,
  what: string,
  more = "",
): Promise<number> {
  const isPrinted = options.quiet !== true && options.json !== true;
  if (options.watch === true) {
    if (isPrinted) io.err.write(`${run.id} ${what}\n${more}`);
    return followRun(io, api, await followedOf(api, run), { ...options, isOwn: false });
  }
  if (options.json === true) printJson(io, run);
  else {
    if (isPrinted) io.err.write(`${run.id} ${what} (${run.status})\n${more}`);
    io.out.write(`${run.id}\n`);
  }
  return EXIT.fine;
}

/** Returns how long the run had taken at the moment of an event. */
function durationUntil({ startedAt, createdAt }: Run, timestamp: string): string {
  return formatDuration(Math.max(0, Date.parse(timestamp) - Date.parse(startedAt ?? createdAt)));
}
