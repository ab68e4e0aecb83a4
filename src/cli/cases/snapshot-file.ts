import { readFile, rm, writeFile } from "node:fs/promises";
import { isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import { printYaml, readSource } from "../../core/text/index.ts";
import { Refusal } from "../refusal.ts";
import { printable } from "../terminal-text.ts";

const HEAD = "# Written by sluice test --update. Look at the differences before you commit them.\n";

/** The snapshots of a file of cases, stored in a file next to it. */
export class SnapshotFile {
  readonly #path: string;
  /** The snapshots in the file. Null when there is no file. */
  readonly #before: JsonObject | null;
  readonly #after: Record<string, Json> = {};

  private constructor(path: string, before: JsonObject | null) {
    this.#path = path;
    this.#before = before;
  }

  /**
   * Opens `hello.snapshots.yaml` for `hello.cases.yaml`. Cases in another form have a file of their own, such as
   * `hello.ts.snapshots.yaml`, because both may stand side by side: `--record` writes YAML.
   */
  static async open(casePath: string): Promise<SnapshotFile> {
    const [, name = casePath, form = "yaml"] = /^(.*)\.cases\.(\w+)$/s.exec(casePath) ?? [];
    const path = `${name}${form === "yaml" ? "" : `.${form}`}.snapshots.yaml`;
    const bytes = await readFile(path).catch(() => null);
    if (bytes === null) return new SnapshotFile(path, null);
    const { tree, problems } = readSource(bytes);
    if (tree !== null && problems.length === 0 && isJsonObject(tree.value)) return new SnapshotFile(path, tree.value);
    throw new Refusal(`${printable(path)} is not valid: fix it, or remove it and run sluice test --update`);
  }

  find(name: string): Json | undefined {
    return this.#before !== null && Object.hasOwn(this.#before, name) ? this.#before[name] : undefined;
  }

  put(name: string, snapshot: JsonObject): void {
    this.#after[name] = snapshot;
  }

  /** Writes the new snapshots, without those of removed cases, or removes the file when none is left. False when nothing changed. */
  async write(): Promise<boolean> {
    const before = this.#before;
    if (Object.keys(this.#after).length === 0) {
      if (before !== null) await rm(this.#path);
      return before !== null;
    }
    const text = HEAD + printYaml(this.#after);
    if (before !== null && text === HEAD + printYaml(before)) return false;
    await writeFile(this.#path, text);
    return true;
  }
}
