import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Adapter, Sample } from "../adapter/index.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import { oneLine, printable } from "./terminal-text.ts";

/** The adapter that a file exports, with its sample requests. */
export interface AdapterFile {
  readonly adapter: Adapter;
  readonly sample?: Sample;
  readonly slow?: Sample;
  readonly turn?: Sample;
}

export async function loadAdapterFile(io: Io, file: string): Promise<AdapterFile> {
  const exported = await importFile(io, file);
  const found = exported.get("default") ?? exported.get("adapter") ?? exported.get("createAdapter");
  const adapter = typeof found === "function" ? await make(io, file, found as AdapterMaker) : found;
  if (!isAdapterLike(adapter)) {
    throw new Refusal(
      `${printable(file)} exports no adapter: export one as default or "adapter", or a function "createAdapter" that makes one`,
    );
  }
  const sample = exported.get("sample");
  const slow = exported.get("slow");
  const turn = exported.get("turn");
  return {
    adapter,
    ...(isSample(sample) ? { sample } : {}),
    ...(isSample(slow) ? { slow } : {}),
    ...(isSample(turn) ? { turn } : {}),
  };
}

async function importFile(io: Io, file: string): Promise<ReadonlyMap<string, unknown>> {
  try {
    const url = pathToFileURL(resolve(io.cwd, file)).href;
    return new Map(Object.entries((await import(url)) as Record<string, unknown>));
  } catch (thrown) {
    throw new Refusal(`cannot load ${printable(file)}: ${oneLine(reasonOf(thrown))}`);
  }
}

type AdapterMaker = (parts: { readonly env: Io["env"] }) => unknown;

async function make(io: Io, file: string, maker: AdapterMaker): Promise<unknown> {
  try {
    return await maker({ env: io.env });
  } catch (thrown) {
    throw new Refusal(`the function exported by ${printable(file)} returned no adapter: ${oneLine(reasonOf(thrown))}`);
  }
}

/** Checks only the minimum. The conformance suite reports all other problems. */
function isAdapterLike(value: unknown): value is Adapter {
  return typeof value === "object" && value !== null && "execute" in value && "provider" in value;
}

function isSample(value: unknown): value is Sample {
  return typeof value === "function" || (typeof value === "object" && value !== null && !Array.isArray(value));
}
