import { fail, getOwn, isJsonArray, succeed, type Json, type Outcome } from "../../core/base/index.ts";
import { compilePattern } from "../../core/text/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import type { CommandConfig, ProcessConfig } from "./config.ts";

/** A configured command with the arguments a definition added to it. */
export interface CommandLine {
  readonly name: string;
  readonly command: CommandConfig;
  readonly args: readonly string[];
  readonly stdin: string;
}

const ARGUMENT_LENGTH_MAX = 8_192;

/** Reads the command of a request. A failure is a code and a sentence: `command_not_allowed: …`. */
export function readCommandLine(request: AdapterRequest, config: ProcessConfig): Outcome<CommandLine, string> {
  const asked = findCommand(request);
  const commands = config.commands ?? {};
  const command = asked.name === null ? undefined : getOwn(commands, asked.name);
  if (asked.name === null || command === undefined) {
    const known = Object.keys(commands).join(", ");
    const hint = known === "" ? "This Bridge allows no command." : `Allowed are: ${known}.`;
    return fail(`command_not_allowed: ${JSON.stringify(asked.name ?? "")} is no allowed command. ${hint}`);
  }
  const args = checkArguments(asked.name, asked.args, command);
  if (!args.ok) return args;
  return succeed({ name: asked.name, command, args: args.value, stdin: stdinOf(request, command, asked.isByInput) });
}

interface Asked {
  readonly name: string | null;
  readonly args: Json;
  /** True when the input `command` names the command. The message is then text for the command, not a command line. */
  readonly isByInput: boolean;
}

/** Returns the input `command` with `args`, else the words of the message, split at spaces. Quotes have no meaning. */
function findCommand({ inputs, message }: AdapterRequest): Asked {
  const given = getOwn(inputs, "command");
  if (given !== undefined && given !== null) {
    return { name: typeof given === "string" ? given : null, args: getOwn(inputs, "args") ?? [], isByInput: true };
  }
  const [name, ...args] = message.split(/\s+/).filter((word) => word !== "");
  return { name: name ?? null, args, isByInput: false };
}

function checkArguments(name: string, given: Json, { args: rule }: CommandConfig): Outcome<readonly string[], string> {
  if (!isJsonArray(given)) return refuse("the input args must be a list of texts.");
  if (given.length === 0) return succeed([]);
  if (rule === undefined) return refuse(`"${name}" takes no arguments from a definition.`);
  if (given.length > rule.max) return refuse(`"${name}" takes at most ${rule.max} arguments, not ${given.length}.`);
  // A pattern normally matches anywhere in a text. Here it must match the whole argument.
  const pattern = compilePattern(`^(?:${rule.pattern})$`);
  if (!pattern.ok) return refuse(`the pattern for arguments of "${name}" cannot be used: ${pattern.failure}`);
  const texts: string[] = [];
  for (const [index, text] of given.entries()) {
    const place = `argument ${index + 1} of "${name}"`;
    if (typeof text !== "string" || text.includes("\0")) return refuse(`${place} must be a text without NUL.`);
    if (text.length > ARGUMENT_LENGTH_MAX) {
      return refuse(`${place} is longer than ${ARGUMENT_LENGTH_MAX} characters.`);
    }
    if (text.startsWith("-") && rule.flags !== true) return refuse(`${place} begins with a dash; flags are not taken.`);
    if (!pattern.value.test(text)) return refuse(`${place} does not match the pattern ${rule.pattern}.`);
    texts.push(text);
  }
  return succeed(texts);
}

function refuse(reason: string): { readonly ok: false; readonly failure: string } {
  return fail(`arguments_not_allowed: ${reason}`);
}

function stdinOf(request: AdapterRequest, { input }: CommandConfig, isByInput: boolean): string {
  const { message, stdin, inputs, runId, stepId, attempt, idempotencyKey } = request;
  if (input === "json") {
    return `${JSON.stringify({ message, stdin: stdin ?? null, inputs, runId, stepId, attempt, idempotencyKey })}\n`;
  }
  return stdin ?? (isByInput ? message : "");
}
