import { getOwn, suggest, type TreePath } from "../base/index.ts";
import { closedObject, followPath, parsePath, TEXT, type DeadEnd, type Known, type Path } from "../expression/index.ts";
import { normaliseLabel, type LensTemplate } from "../template/index.ts";
import { deadEndHint, deadEndMessage } from "./dead-end.ts";
import { contractKnown } from "./declared.ts";
import type { Lens, LensVersion } from "./definition.ts";
import type { RawLensEdge, RawLensNode } from "./lens-graph-shape.ts";
import { ERROR_FACTS } from "./step-fact.ts";
import { withError } from "./step-outcome.ts";
import { spelledPath } from "./record.ts";
import type { Report } from "./report.ts";
import type { Located } from "./shape.ts";
import { checkTypes } from "./step-type.ts";

/** Returns the pinned version of a lens, or the newest one. Null when the lens is not available. */
export function lensVersionOf(
  lensId: string | null | undefined,
  versionId: string | null | undefined,
  lenses: Readonly<Record<string, Lens>> | null,
): LensVersion | null {
  if (lensId === null || lensId === undefined || lenses === null) return null;
  const versions = getOwn(lenses, lensId)?.versions ?? [];
  const found =
    versionId === null || versionId === undefined
      ? versions.at(-1)
      : versions.find((version) => version.id === versionId);
  return found ?? null;
}

const LABELS_MAX = 200;

/** Checks the names in a graph: fields against output contracts, and labels in the form in which they are matched. */
export class LensNames {
  readonly #lenses: Readonly<Record<string, Lens>> | null;
  readonly #rootLabels: ReadonlySet<string>;
  readonly #nodes: ReadonlyMap<string, Located<RawLensNode>>;
  readonly #report: Report;
  readonly #outputs = new Map<string, Known>();

  constructor(
    nodes: readonly Located<RawLensNode>[],
    rootInputs: Readonly<Record<string, unknown>>,
    lenses: Readonly<Record<string, Lens>> | null,
    report: Report,
  ) {
    this.#nodes = new Map(nodes.flatMap((node) => (node.read.id === undefined ? [] : [[node.read.id, node] as const])));
    this.#rootLabels = new Set(Object.keys(rootInputs).map(normaliseLabel));
    this.#lenses = lenses;
    this.#report = report;
  }

  /** Returns the readable fields of a node. Any field, when it has no contract or its lens is not available. */
  #outputOf(id: string): Known {
    const isList = this.#nodes.get(id)?.read.config?.read.for_each !== undefined;
    const known = this.#outputs.get(id) ?? contractKnown(isList ? null : this.#versionOf(id)?.outputContract);
    this.#outputs.set(id, known);
    return known;
  }

  #versionOf(id: string): LensVersion | null {
    const node = this.#nodes.get(id)?.read;
    return lensVersionOf(node?.lens_id, node?.version_id, this.#lenses);
  }

  checkEdge({ read, path }: Located<RawLensEdge>): void {
    const { source_node_id: source, source_output_key: key = "output", condition } = read;
    if (source === undefined || !this.#nodes.has(source)) return;
    const value =
      (read.on ?? "success") === "success" || key.trim() === "output"
        ? this.checkOutputPath(source, key, [...path, "source_output_key"], key)
        : this.#checkErrorPath(source, key, [...path, "source_output_key"]);
    if (condition?.type !== "expression") return;
    const returned = this.#outputOf(source);
    const output = (read.on ?? "success") === "success" ? returned : withError(returned);
    const at = [...path, "condition", "expr"];
    const know = (written: Path): Known => {
      const [head, ...rest] = written.segments;
      const followed = head === "value" ? followPath(value, rest) : followPath(output, written.segments);
      if (followed.ok) return followed.known;
      const start = head === "value" ? { name: "value", length: 1 } : { name: `node "${source}"`, length: 0 };
      this.#reportDeadEnd(written.text, written.segments, followed.deadEnd, start, at, written.position);
      return { kind: "any" };
    };
    for (const written of condition.expression.paths) know(written);
    checkTypes(condition.expression, at, (written) => knownWithoutReport(output, value, written), this.#report);
  }

  /** Checks a path on an edge whose source may fail. Such an edge can also read the `error` of the source. */
  #checkErrorPath(source: string, key: string, at: TreePath): Known {
    const parsed = parsePath(key);
    if (!parsed.ok || parsed.value.segments[0] !== "error") return this.checkOutputPath(source, key, at, key);
    const { segments } = parsed.value;
    const followed = followPath(closedObject([["error", ERROR_FACTS]]), segments);
    if (followed.ok) return followed.known;
    this.#reportDeadEnd(key, segments, followed.deadEnd, { name: `node "${source}"`, length: 0 }, at);
    return { kind: "any" };
  }

  /** Checks a key of an edge or an override. Returns the known type of its value. */
  checkOutputPath(source: string, key: string, at: TreePath, text: string): Known {
    if (key.trim() === "output") return TEXT;
    const parsed = parsePath(key);
    if (!parsed.ok) return { kind: "any" };
    const segments = parsed.value.segments.map((segment) =>
      typeof segment === "string" && /^\d{1,9}$/.test(segment) ? Number(segment) : segment,
    );
    const followed = followOutputPath(this.#outputOf(source), segments);
    if (followed.ok) return followed.known;
    this.#reportDeadEnd(text, segments, followed.deadEnd, { name: `node "${source}"`, length: 0 }, at);
    return { kind: "any" };
  }

  #reportDeadEnd(
    text: string,
    segments: Path["segments"],
    deadEnd: DeadEnd,
    start: { readonly name: string; readonly length: number },
    at: TreePath,
    offset = 0,
  ): void {
    const hint = (): string | undefined => deadEndHint(deadEnd);
    this.#report.strict("unknown_field", at, deadEndMessage(text, segments, deadEnd, start), { hint, offset });
  }

  /**
   * Checks the labels of edges. An unused label is allowed, because an edge may exist only for the order. A label is
   * reported when it is similar to a parameter that no other edge supplies.
   */
  checkLabels(edges: readonly Located<RawLensEdge>[]): void {
    const fed = new Map<string, { readonly label: string; readonly at: TreePath }[]>();
    for (const { read, path } of edges) {
      const { target_node_id: target, target_param_label: label } = read;
      if (target === undefined || label === undefined) continue;
      const list = fed.get(target) ?? [];
      list.push({ label, at: [...path, "target_param_label"] });
      fed.set(target, list);
    }
    for (const [id, node] of this.#nodes) {
      const config = node.read.config;
      const overrides = Object.keys(config?.read.param_overrides ?? {}).map((label) => ({
        label,
        at: [...spelledPath(config?.raw, config?.path ?? node.path, "param_overrides"), label],
      }));
      this.#checkLabelsOf(id, node, [...(fed.get(id) ?? []), ...overrides]);
    }
  }

  #checkLabelsOf(
    id: string,
    { read }: Located<RawLensNode>,
    given: readonly { readonly label: string; readonly at: TreePath }[],
  ): void {
    const version = this.#versionOf(id);
    const template = version?.templateBody ?? read.config?.read.template_body;
    const labels = [...tokensOf(template), ...Object.keys(version?.inputContract?.fields ?? {})];
    const wanted = new Map(labels.map((label) => [normaliseLabel(label), label]));
    const keys = new Set([...given.map(({ label }) => normaliseLabel(label)), ...this.#rootLabels]);
    const unfed = [...wanted.keys()].filter((key) => !keys.has(key));
    // Searching for a similar word is expensive, and a file with hundreds of typing errors is unlikely.
    if (unfed.length > LABELS_MAX || given.length > LABELS_MAX) return;
    for (const { label, at } of given) {
      const key = normaliseLabel(label);
      const near = wanted.has(key) ? undefined : suggest(key, unfed);
      if (near === undefined) continue;
      const hint = `Did you mean "${wanted.get(near) ?? near}"?`;
      this.#report.strict("unknown_field", at, `Node "${id}" has no parameter "${label}".`, { hint });
    }
  }
}

function tokensOf(template: LensTemplate | undefined): readonly string[] {
  return (template?.parts ?? []).flatMap((part) => (typeof part === "string" ? [] : [part.label]));
}

function knownWithoutReport(output: Known, value: Known, { segments }: Path): Known {
  const [head, ...rest] = segments;
  const followed = head === "value" ? followPath(value, rest) : followPath(output, segments);
  return followed.ok ? followed.known : { kind: "any" };
}

/** Follows a path like `followPath`, except that a value passed by an edge has no `length`. */
function followOutputPath(output: Known, segments: Path["segments"]): ReturnType<typeof followPath> {
  const index = segments.lastIndexOf("length");
  const owner = index < 1 ? undefined : followPath(output, segments.slice(0, index));
  if (owner?.ok === true && (owner.known.kind === "text" || owner.known.kind === "list")) {
    return { ok: false, deadEnd: { index, segment: "length", owner: closedObject([]) } };
  }
  return followPath(output, segments);
}
