/** As much of a JSON Schema as a table shows. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly deprecated?: boolean;
}

/** Other spellings are explained once, at the top of the page. */
const OTHER = /^Another spelling of/;
const SAFE = Number.MAX_SAFE_INTEGER;

/** One row per field: its name, whether it is required, its type, its default and its meaning. */
export function fieldTable(shape: Shape): string {
  const fields = Object.entries(shape.properties ?? {}).filter(([, { description = "" }]) => !OTHER.test(description));
  const rows = fields.map(([name, field]) => {
    const isRequired = shape.required?.includes(name) === true;
    const cells = [`\`${name}\`${isRequired ? " *" : ""}`, typeOf(field), defaultOf(field), aboutOf(field)];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return ["| Field | Type | Default | Meaning |", "|---|---|---|---|", ...rows].join("\n");
}

export function typeOf(shape: Shape): string {
  const options = (shape.anyOf ?? shape.oneOf ?? []).filter((one) => one.type !== "null");
  if (options.length > 0) return [...new Set(options.map(typeOf))].join(" or ");
  if (shape.const !== undefined) return code(shape.const);
  if (shape.enum !== undefined) return shape.enum.map(code).join(", ");
  if (Array.isArray(shape.type))
    return shape.type
      .filter((one) => one !== "null")
      .join(", ")
      .replace("string", "text");
  switch (shape.type) {
    case "array":
      return `list${shape.items === undefined ? "" : ` of ${typeOf(shape.items)}`}`;
    case "object":
      return objectOf(shape);
    case "string":
      return shape.pattern === DURATION ? "duration such as `90s`, `5m`, `2h`, `1d`" : `text${within(shape)}`;
    case "integer":
    case "number":
      return `${shape.type}${within(shape)}`;
    case "boolean":
      return "boolean";
    default:
      return "any";
  }
}

const DURATION = "^(\\d+(?:\\.\\d+)?)(s|m|h|d)$";

function objectOf(shape: Shape): string {
  if (shape.title !== undefined) return `[${shape.title}](#${anchorOf(shape.title)})`;
  if (shape.properties !== undefined) {
    return `{${Object.keys(shape.properties)
      .map((key) => `\`${key}\``)
      .join(", ")}}`;
  }
  return typeof shape.additionalProperties === "object" ? `map to ${typeOf(shape.additionalProperties)}` : "map";
}

function within({ minimum, exclusiveMinimum, maximum, maxLength }: Shape): string {
  const low =
    exclusiveMinimum !== undefined ? `above ${exclusiveMinimum}` : isBounded(minimum) ? `from ${minimum}` : "";
  const high = isBounded(maximum) ? `to ${maximum}` : "";
  const length = maxLength === undefined ? "" : `at most ${maxLength} characters`;
  const limits = [[low, high].filter((part) => part !== "").join(" "), length].filter((part) => part !== "");
  return limits.length === 0 ? "" : ` (${limits.join(", ")})`;
}

function isBounded(bound: number | undefined): bound is number {
  return bound !== undefined && Math.abs(bound) < SAFE;
}

function defaultOf(shape: Shape): string {
  return shape.default === undefined ? "" : code(shape.default);
}

function aboutOf({ description = "", deprecated }: Shape): string {
  return `${description}${deprecated === true ? " Not for new files." : ""}`;
}

function code(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}

/** Inner objects that have a title, each once, in the order in which they occur. */
export function titledIn(shape: Shape, found = new Map<string, Shape>()): ReadonlyMap<string, Shape> {
  const inside = [
    ...Object.values(shape.properties ?? {}),
    ...(shape.anyOf ?? []),
    ...(shape.oneOf ?? []),
    ...(shape.items === undefined ? [] : [shape.items]),
    ...(typeof shape.additionalProperties === "object" ? [shape.additionalProperties] : []),
  ];
  for (const one of inside) {
    if (one.title !== undefined && one.properties !== undefined && !found.has(one.title)) found.set(one.title, one);
    titledIn(one, found);
  }
  return found;
}
