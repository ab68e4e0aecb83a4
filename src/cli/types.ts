/** `sluice types`: writes TypeScript types for the args and outputs of the workflows of a server. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Definition, LobsterDefinition, OutputField, ValueField } from "../core/definition/index.ts";
import { EMPTY_CATALOG, readDefinition } from "../core/definition/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import { formatCount } from "./figures.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

export interface TypesOptions {
  readonly out: string;
}

const PAGE = 100;

export async function writeTypes(io: Io, api: Api, { out }: TypesOptions): Promise<number> {
  const entries: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.listWorkflows({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const { name, version } of page.data) {
      const { source } = await api.getVersion(name, version);
      const { definition } = readDefinition(source, EMPTY_CATALOG, { isStored: true });
      if (definition !== null) entries.push(entryOf(name, definition));
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const text = fileOf(entries);
  if (out === "-") io.out.write(text);
  else {
    await write(resolve(io.cwd, out), text, out);
    io.err.write(`${printable(out)}: types of ${formatCount(entries.length, "workflow")}\n`);
  }
  return EXIT.fine;
}

async function write(path: string, text: string, name: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (thrown) {
    throw new Refusal(`cannot write ${printable(name)}: ${reasonOf(thrown)}`);
  }
}

function fileOf(entries: readonly string[]): string {
  return `// Written by \`sluice types\`: what the workflows of the server take and return.
import "sluice/client";

declare module "sluice/client" {
  interface KnownWorkflows {
${entries.join("\n")}
  }
}
`;
}

function entryOf(name: string, definition: Definition): string {
  const args = definition.format === "lobsterx" ? definition.args : definition.rootInputs;
  const given = Object.entries(args).map(([arg, field]) => {
    const isNeeded = field.required && field.default === undefined;
    return member(arg, isNeeded, typeOf(field));
  });
  const outputs = definition.format === "lobsterx" ? outputsType(definition) : UNDECLARED;
  return `    ${JSON.stringify(name)}: { args: ${objectType(given)}; outputs: ${outputs} };`;
}

/** Type of outputs that are not declared. The outputs of the last steps are not known. */
const UNDECLARED = "Record<string, unknown>";

/** Returns the type of the outputs: each as declared, else the type of the value it refers to. */
function outputsType({ outputs, outputKinds }: Pick<LobsterDefinition, "outputs" | "outputKinds">): string {
  if (outputs === null) return UNDECLARED;
  const members = Object.entries(outputs).map(([name, { field }]) =>
    member(name, isSure(field), field === null ? typeOfKnown(outputKinds[name]) : typeOf(field)),
  );
  return objectType(members);
}

function isSure(field: OutputField | null): boolean {
  return field === null || field.required;
}

function member(name: string, isNeeded: boolean, type: string): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${key}${isNeeded ? "" : "?"}: ${type}`;
}

function objectType(members: readonly string[]): string {
  return members.length === 0 ? "Record<string, never>" : `{ ${members.join("; ")} }`;
}

const FILE = "{ name: string; mime: string; size: number; sha256: string }";

function typeOf(field: ValueField): string {
  if (field.type === undefined) return "unknown";
  if (field.enum !== undefined) return oneOf(field.enum);
  switch (field.type) {
    case "string":
    case "boolean":
      return field.type;
    case "number":
    case "integer":
      return "number";
    case "file":
      return FILE;
    case "array":
      return field.items === undefined ? "unknown[]" : `Array<${typeOf(field.items)}>`;
    case "object": {
      const inner = Object.entries(field.properties ?? {});
      if (inner.length === 0) return "Record<string, unknown>";
      return objectType(inner.map(([name, property]) => member(name, property.required, typeOf(property))));
    }
  }
}

type Known = LobsterDefinition["outputKinds"][string];

/** Prefix of the outputs that the engine adds. */
const MARK = "_";

function typeOfKnown(known: Known | undefined): string {
  switch (known?.kind) {
    case undefined:
    case "any":
      return "unknown";
    case "number":
    case "boolean":
      return known.kind;
    case "text":
      return known.enum === undefined ? "string" : oneOf(known.enum);
    case "list":
      return known.items.kind === "any" ? "unknown[]" : `Array<${typeOfKnown(known.items)}>`;
    case "object": {
      if (known.isOpen) return "Record<string, unknown>";
      const inner = [...known.fields].filter(([name]) => !name.startsWith(MARK));
      return objectType(inner.map(([name, field]) => member(name, true, typeOfKnown(field))));
    }
  }
}

function oneOf(values: readonly (string | number | boolean)[]): string {
  return values.map((value) => JSON.stringify(value)).join(" | ");
}
