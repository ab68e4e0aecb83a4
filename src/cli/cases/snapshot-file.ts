import { readFile, writeFile } from "node:fs/promises";
import { isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import { printYaml, readSource } from "../../core/text/index.ts";
import { Refusal } from "../refusal.ts";
import { printable } from "../terminal-text.ts";

const HEAD = "# Written by sluice test --update. Look at the differences before you commit them.\n";

/** The snapshots of a file of cases, stored in a file next to it. */
export class SnapshotFile {
  readonly #path: string;
  readonly #before: JsonObject;
  readonly #after: Record<string, Json> = {};

  private constructor(path: string, before: JsonObject) {
    this.#path = path;
    this.#before = before;
  }

  /** Opens `hello.snapshots.yaml` for `hello.cases.yaml`. */
  static async open(casePath: string): Promise<SnapshotFile> {
    const path = casePath.replace(/\.cases\.\w+$/, "").replace(/$/, ".snapshots.yaml");
    const bytes = await readFile(path).catch(() => null);
    if (bytes === null) return new SnapshotFile(path, {});
    const { tree, problems } = readSource(bytes);
    if (tree !== null && problems.length === 0 && isJsonObject(tree.value)) return new SnapshotFile(path, tree.value);
    throw new Refusal(`${printable(path)} is not valid: fix it, or remove it and run sluice test --update`);
  }

  find(name: string): Json | undefined {
    return Object.hasOwn(this.#before, name) ? this.#before[name] : undefined;
  }

  put(name: string, snapshot: JsonObject): void {
    this.#after[name] = snapshot;
  }

  /** Writes the new snapshots, without those of removed cases. False when there is nothing to write. */
  async write(): Promise<boolean> {
    const text = HEAD + printYaml(this.#after);
    if (Object.keys(this.#after).length === 0 || text === HEAD + printYaml(this.#before)) return false;
    await writeFile(this.#path, text);
    return true;
  }
}
