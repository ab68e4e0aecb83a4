import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { ApiError, type Registered } from "../client/index.ts";
import { isJsonArray, type Json, jsonToText } from "../core/base/index.ts";
import type { Api } from "./api.ts";
import { addLinkOptions, example, onServer, type Workbench } from "./command-words.ts";
import { collect } from "./option-values.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import { oneLine, printable } from "./terminal-text.ts";

interface ValueOptions {
  readonly fromFile?: string;
  readonly fromEnv?: string;
  readonly stdin?: boolean;
  readonly json?: boolean;
}

interface SetOptions extends ValueOptions {
  readonly scope?: readonly string[];
}

/** Adds the commands for secrets. Values come from a file, a variable or a pipe, never from the command line, which others can read. */
export function addSecretCommands(secrets: Command, bench: Workbench): void {
  addValueOptions(addLinkOptions(secrets.command("set").description("set the value of a secret, and who gets it")))
    .argument("<name>", "name of the secret")
    .option("--scope <kind:name>", "who gets it, such as gateway:eu; may be repeated; default: as before", collect)
    .option("--json", "print the secret as JSON, without its value")
    .addHelpText("after", example("sluice secrets set billing-token --from-file token.txt --scope gateway:eu"))
    .action(onServer(bench, setSecret));
  addValueOptions(addLinkOptions(secrets.command("rotate").description("replace the value of a secret")))
    .argument("<name>", "name of the secret")
    .option("--json", "print the secret as JSON, without its value")
    .addHelpText("after", example("sluice secrets rotate billing-token --from-env NEW_TOKEN"))
    .action(onServer(bench, rotateSecret));
}

function addValueOptions(command: Command): Command {
  return command
    .option("--from-file <path>", "take the value from a file; a line break at its end is removed")
    .option("--from-env <name>", "take the value from an environment variable of this command")
    .option("--stdin", "take the value from standard input; a line break at its end is removed");
}

async function setSecret(io: Io, api: Api, name: string, options: SetOptions): Promise<number> {
  const value = await readValue(io, options);
  const scopes = options.scope ?? (await presentScopes(api, name));
  return report(io, await api.putRegistered("secrets", name, { value, scopes: [...scopes] }), options);
}

async function rotateSecret(io: Io, api: Api, name: string, options: ValueOptions): Promise<number> {
  return report(io, await api.rotateSecret(name, await readValue(io, options)), options);
}

async function presentScopes(api: Api, name: string): Promise<readonly string[]> {
  try {
    const { scopes } = await api.getRegistered("secrets", name);
    return isJsonArray(scopes ?? null) ? textsIn(scopes ?? null) : [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "unknown_secret") throw error;
    throw new Refusal(`state who gets ${printable(name)}: --scope KIND:NAME, such as --scope gateway:eu`);
  }
}

async function readValue(io: Io, { fromFile, fromEnv, stdin }: ValueOptions): Promise<string> {
  const given = [fromFile !== undefined, fromEnv !== undefined, stdin === true].filter(Boolean).length;
  if (given !== 1) throw new Refusal("state where the value is: one of --from-file PATH, --from-env NAME, --stdin");
  if (fromEnv !== undefined) {
    const value = io.env[fromEnv] ?? "";
    if (value === "") throw new Refusal(`the environment variable ${printable(fromEnv)} is not set`);
    return value;
  }
  return textOf(fromFile === undefined ? await readPipe(io) : await readSecretFile(io, fromFile));
}

/** Reads a value from a pipe. A terminal is refused because typed text stays on the screen. */
function readPipe(io: Io): Promise<Uint8Array> {
  if (io.isInputTty) throw new Refusal("--stdin reads a pipe; a value typed here would stay on the screen");
  return io.readInput();
}

async function readSecretFile(io: Io, path: string): Promise<Uint8Array> {
  try {
    return await readFile(resolve(io.cwd, path));
  } catch (error) {
    throw new Refusal(`${printable(path)} cannot be read: ${printable(reasonOf(error))}`);
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    throw new Refusal("the value is no text in UTF-8; encode it, for example with base64");
  }
}

function report(io: Io, secret: Registered, { json }: ValueOptions): number {
  if (json === true) printJson(io, secret);
  else
    io.err.write(`${oneLine(secret.id)} is version ${jsonToText(secret["version"] ?? 1)}, for ${scopesText(secret)}\n`);
  return EXIT.fine;
}

function scopesText({ scopes }: Registered): string {
  return textsIn(scopes ?? null)
    .map(oneLine)
    .join(", ");
}

function textsIn(value: Json): readonly string[] {
  return isJsonArray(value) ? value.filter((one) => typeof one === "string") : [];
}
