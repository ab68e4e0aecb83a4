/** Functions for steps that an agent, a service or a program performs. */
import type { Json } from "../core/base/index.ts";
import { addStep, idAndOptions } from "./add-step.ts";
import { textOf } from "./operand.ts";
import { type Nothing, pathRef, type Plain, type Ref, sourceOf } from "./reference.ts";
import type { OutputOf, Schema } from "./schema.ts";
import type { AttemptOptions, RequestOptions, StepRef, Text } from "./step-options.ts";

/** The declared outputs, and the inputs, because they are passed through. */
export type OutputsOf<S extends Schema, I> = OutputOf<S> & Omit<Plain<I>, keyof OutputOf<S>>;
/** Schema type of a step without declared outputs, about which nothing is known. */
export type NoSchema = Schema<object, object>;
type Inputs = Readonly<Record<string, unknown>>;

/** References to the inputs of a step by name, for use in its own command. */
type InputRefs<I> = Ref<Plain<I>>;

export interface AgentOptions<S extends Schema, I> extends RequestOptions<S, I> {
  /** Instructions for the agent. A function receives the inputs by name. */
  readonly command?: Text | ((inputs: InputRefs<I>) => Text);
}

function request<S extends Schema, I>(
  kind: string,
  id: string | null,
  options: AgentOptions<S, I>,
  own: Readonly<Record<string, Json>> = {},
): StepRef<OutputsOf<S, I>> {
  const { command, ...rest } = options;
  return addStep(
    kind,
    id,
    { ...(command === undefined ? {} : { command: written(command, options.inputs) }), ...rest },
    own,
  );
}

function written<I>(command: Text | ((inputs: InputRefs<I>) => Text), inputs: I | undefined): Text {
  if (typeof command !== "function" || sourceOf(command) !== undefined) return command as Text;
  const names = Object.keys(inputs ?? {});
  return command(Object.fromEntries(names.map((name) => [name, pathRef(name)])) as unknown as InputRefs<I>);
}

/** Adds a step that an agent performs. */
export function agent<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  id: string,
  options: AgentOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function agent<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  options: AgentOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function agent<S extends Schema, I>(
  first: string | AgentOptions<S, I>,
  second?: AgentOptions<S, I>,
): StepRef<OutputsOf<S, I>> {
  const [id, options] = idAndOptions(first, second);
  return request("agent", id, options);
}

export interface HttpOptions<S extends Schema, I> extends RequestOptions<S, I> {
  /** A URL, or the name of a target in the configuration. */
  readonly url: Text;
  /** Default: POST when there is a body, else GET. */
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Adds a step that calls an HTTP service. */
export function http<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  id: string,
  options: HttpOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function http<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  options: HttpOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function http<S extends Schema, I extends Inputs>(
  first: string | HttpOptions<S, I>,
  second?: HttpOptions<S, I>,
): StepRef<OutputsOf<S, I>> {
  const [id, options] = idAndOptions(first, second);
  const { url, method, body, inputs, ...rest } = options;
  const command = `${method ?? (body === undefined ? "GET" : "POST")} ${textOf(url)}`;
  const all = { ...inputs, ...(body === undefined ? {} : { body }) };
  return request(
    "http",
    id,
    { ...rest, ...(Object.keys(all).length === 0 ? {} : { inputs: all as unknown as I }) },
    {
      provider: "http",
      command,
    },
  );
}

/** Adds a step that runs a program from the Bridge's configuration. */
export function process<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  id: string,
  options: AgentOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function process<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  options: AgentOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function process<S extends Schema, I>(
  first: string | AgentOptions<S, I>,
  second?: AgentOptions<S, I>,
): StepRef<OutputsOf<S, I>> {
  const [id, options] = idAndOptions(first, second);
  return request("process", id, options, { provider: "process" });
}

export interface McpOptions<S extends Schema, I> extends RequestOptions<S, I> {
  /** Name of a server in the Bridge's configuration. */
  readonly server: string;
  readonly tool: string;
}

/** Adds a step that calls a tool of an MCP server. Its inputs are the arguments. */
export function mcp<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  id: string,
  options: McpOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function mcp<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  options: McpOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function mcp<S extends Schema, I>(
  first: string | McpOptions<S, I>,
  second?: McpOptions<S, I>,
): StepRef<OutputsOf<S, I>> {
  const [id, options] = idAndOptions(first, second);
  const { server, tool, ...rest } = options;
  return request("mcp", id, rest, { provider: "mcp", command: `${server}/${tool}` });
}

export interface ScriptOptions<S extends Schema, I> extends AttemptOptions {
  /** JavaScript that reads `inputs` and returns a map of outputs. */
  readonly code: string;
  readonly inputs?: I;
  readonly outputs?: S;
  readonly effects?: "at_least_once" | "at_most_once";
}

/** Adds a step that runs code without I/O of its own. */
export function script<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  id: string,
  options: ScriptOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function script<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  options: ScriptOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function script<S extends Schema, I>(
  first: string | ScriptOptions<S, I>,
  second?: ScriptOptions<S, I>,
): StepRef<OutputsOf<S, I>> {
  const [id, options] = idAndOptions(first, second);
  const { code, ...rest } = options;
  return addStep("script", id, rest, { script: code });
}

export interface CallOptions<S extends Schema, I> extends RequestOptions<S, I> {
  /** Name under which a worker registers the function. */
  readonly function: string;
}

/** Adds a step that runs a function of a worker. */
export function call<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  id: string,
  options: CallOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function call<S extends Schema = NoSchema, I extends Inputs = Nothing>(
  options: CallOptions<S, I>,
): StepRef<OutputsOf<S, I>>;
export function call<S extends Schema, I>(
  first: string | CallOptions<S, I>,
  second?: CallOptions<S, I>,
): StepRef<OutputsOf<S, I>> {
  const [id, options] = idAndOptions(first, second);
  return addStep("call", id, options);
}
