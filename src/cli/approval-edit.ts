import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Approval } from "../client/index.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { diffText, printYaml, readSource } from "../core/text/index.ts";
import { changeableInputs, shownText } from "../core/view/index.ts";
import type { Api } from "./api.ts";
import { editableArgs, printArgsDiff } from "./call-answer.ts";
import { EXIT } from "./exit-code.ts";
import { isConfirmed, readPair, type ResolveOptions, sendAnswer } from "./inbox.ts";
import { type Io, isAtTerminal } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { oneLine, printable } from "./terminal-text.ts";

export interface EditOptions extends ResolveOptions {
  /** Changes as `input=value`. When absent, an editor is opened. */
  readonly set?: readonly string[];
}

/** Changes the inputs of a node or the args of a tool call, prints the difference, and approves exactly that. */
export async function editApproval(io: Io, api: Api, id: string, options: EditOptions): Promise<number> {
  const approval = await api.getApproval(id);
  if (approval.status !== "pending")
    throw new Refusal(`${printable(id)} does not wait any more: it is ${approval.status}`);
  const modifications = await (approval.subject?.call === undefined ? editInputs : editArgs)(io, approval, options);
  if (modifications === null) {
    io.err.write("nothing was changed, and nothing was answered\n");
    return EXIT.cancelled;
  }
  if (options.yes !== true) {
    if (!isAtTerminal(io)) throw new Refusal("add --yes to approve with these changes, or do it at a terminal");
    if (!(await isConfirmed(io, `approve ${oneLine(approval.title)} with these changes?`))) {
      io.err.write("nothing was answered\n");
      return EXIT.cancelled;
    }
  }
  return sendAnswer(io, api, approval, options, { decision: "approve", modifications });
}

/** Returns the changed inputs and prints the difference. Null when no input changed. */
async function editInputs(io: Io, approval: Approval, { set = [] }: EditOptions): Promise<JsonObject | null> {
  const inputs = editable(approval);
  const edited = set.length > 0 ? withSet(inputs, set) : await editByHand(io, approval, inputs);
  const changed = changesOf(inputs, edited);
  for (const [name, value] of Object.entries(changed)) {
    io.err.write(`${oneLine(name)}\n`);
    const lines = diffText(shownText(inputs[name]), shownText(value)).split("\n");
    for (const line of lines) io.err.write(`  ${printable(line)}\n`);
  }
  return Object.keys(changed).length === 0 ? null : { inputs: changed };
}

/** Returns all args of a call, because they are sent as a whole and args can be added or removed. Null when nothing changed. */
async function editArgs(io: Io, approval: Approval, { set = [] }: EditOptions): Promise<JsonObject | null> {
  const before = editableArgs(approval);
  const args = set.length > 0 ? withSet(before, set) : await editByHand(io, approval, before);
  if (canonicalJson(args) === canonicalJson(before)) return null;
  printArgsDiff(io, approval, { args });
  return { args };
}

function editable({ id, subject }: Approval): JsonObject {
  const inputs = changeableInputs(subject);
  if (Object.keys(inputs).length === 0) throw new Refusal(`${printable(id)} has no inputs that can be changed here`);
  return inputs;
}

/** Applies `--set` options. A value replaces a text as text, and any other value after parsing it as YAML or JSON. */
function withSet(inputs: JsonObject, written: readonly string[]): JsonObject {
  const changed = written.map((text): readonly [string, Json] => {
    const [name, value] = readPair("--set", text);
    const before = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (before === undefined) {
      throw new Refusal(
        `--set ${printable(name)}: there is no such input; there are ${Object.keys(inputs).join(", ")}`,
      );
    }
    return [name, typeof before === "string" ? value : readValue(`--set ${name}`, value)];
  });
  return { ...inputs, ...Object.fromEntries(changed) };
}

function readValue(where: string, text: string): Json {
  const { tree, problems } = readSource(text);
  const [problem] = problems;
  if (tree === null || problem !== undefined)
    throw new Refusal(`${printable(where)}: ${problem?.message ?? "no value"}`);
  return tree.value;
}

/** Opens the inputs as YAML in the person's editor and returns the result. */
async function editByHand(io: Io, { id }: Approval, inputs: JsonObject): Promise<JsonObject> {
  if (io.openEditor === undefined || !isAtTerminal(io)) {
    throw new Refusal("give the changes with --set input=value, or do it at a terminal, where an editor is opened");
  }
  const folder = mkdtempSync(join(tmpdir(), "sluice-edit-"));
  try {
    const file = join(folder, "inputs.yaml");
    writeFileSync(file, `# Inputs of ${id}. Save and close to see what differs.\n${printYaml(inputs)}`, {
      mode: 0o600,
    });
    const code = await io.openEditor(file);
    if (code !== 0) throw new Refusal(`the editor ended with ${code}; nothing was answered`);
    const value = readValue("the edited inputs", readFileSync(file, "utf8"));
    if (!isJsonObject(value)) throw new Refusal("the edited inputs must be a map; nothing was answered");
    return value;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function changesOf(before: JsonObject, after: JsonObject): JsonObject {
  const unknown = Object.keys(after).filter((name) => !Object.hasOwn(before, name));
  if (unknown.length > 0)
    throw new Refusal(`there is no input ${unknown.map(printable).join(", ")}; nothing was answered`);
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => canonicalJson(value) !== canonicalJson(before[name] ?? null)),
  );
}
