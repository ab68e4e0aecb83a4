/**
 * LangGraph: a compiled `StateGraph` with the Postgres checkpointer, a thread per run.
 *
 * Settings: a pool of 10 connections, as ours. Checkpoints are saved with the default durability `async`, while the next
 * step runs, which is faster and promises less than `sync`. The recursion limit counts steps of a graph, so a chain needs
 * one as long as itself.
 */
import { randomUUID } from "node:crypto";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { Pool } from "pg";
import { chainOf, DIAMOND, fanOutOf } from "./graphs.mjs";

export const name = "LangGraph";
export const packageName = "@langchain/langgraph";

/** Nodes of one wave write the same channel, so a reducer has to choose the text that stays. */
const State = Annotation.Root({ text: Annotation({ reducer: (_, next) => next, default: () => "" }) });

function compile(graph, checkpointer) {
  const builder = new StateGraph(State);
  for (const { id } of graph) builder.addNode(id, async () => ({ text: "go" }));
  const withDependents = new Set(graph.flatMap(({ parents }) => parents));
  for (const { id, parents } of graph) {
    // A list of parents is a join: the node waits for all of them.
    if (parents.length === 0) builder.addEdge(START, id);
    else builder.addEdge(parents.length === 1 ? parents[0] : [...parents], id);
    if (!withDependents.has(id)) builder.addEdge(id, END);
  }
  const compiled = builder.compile({ checkpointer });
  return () =>
    compiled.invoke({ text: "" }, { configurable: { thread_id: randomUUID() }, recursionLimit: graph.length + 10 });
}

export async function open({ postgresUrl }) {
  const checkpointer = new PostgresSaver(new Pool({ connectionString: postgresUrl, max: 10 }));
  await checkpointer.setup();
  const compiled = new Map();
  const run = (key, graph) => {
    if (!compiled.has(key)) compiled.set(key, compile(graph(), checkpointer));
    return compiled.get(key)();
  };
  return {
    runDiamond: () => run("diamond", () => DIAMOND),
    runChain: (length) => run(`chain ${length}`, () => chainOf(length)),
    runFanOut: (size) => run(`fan-out ${size}`, () => fanOutOf(size)),
    close: () => checkpointer.end(),
  };
}
