/** Checks a value against a JSON Schema. Unknown keywords count as satisfied. */
import {
  canonicalJson,
  countCodePoints,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../base/index.ts";
import { compilePattern } from "../text/index.ts";

const PROBLEMS_MAX = 20;
const DEPTH_MAX = 100;
/** A schema may refer to itself in several places, so a limit of depth alone would not bound the work. */
const STEPS_MAX = 10_000;
const QUOTED_LENGTH_MAX = 80;
const SHOWN_ALTERNATIVES_MAX = 3;
const ABSOLUTE_ADDRESS = /^[a-z][a-z0-9+.-]*:\/?\/?[^\s/]\S*$/i;

export interface Check {
  readonly root: JsonObject;
  /** Whether keywords that combine schemas or close an object are checked as well. */
  readonly isWhole: boolean;
  readonly problems: string[];
  /** Places that could not be checked. They neither fit their schema nor violate it. */
  readonly doubts: string[];
  readonly steps: { left: number };
}

export function beginCheck(root: JsonObject, { isWhole }: Pick<Check, "isWhole">): Check {
  return { root, isWhole, problems: [], doubts: [], steps: { left: STEPS_MAX } };
}

/** Returns all violations and all places that could not be checked, worded for a model or a person. */
export function findingsOf({ problems, doubts }: Check): readonly string[] {
  return [...problems, ...doubts].slice(0, PROBLEMS_MAX);
}

/** Adds the violations of a value at a place. The place of the whole value is ''. */
export function checkValue(schema: Json, value: Json, place: string, check: Check, depth = 0): void {
  const { problems, doubts, steps, isWhole } = check;
  if (problems.length + doubts.length >= PROBLEMS_MAX) return;
  if (schema === false) problems.push(`${named(place)} must not be given`);
  if (!isJsonObject(schema)) return;
  if (steps.left <= 0 || depth > DEPTH_MAX) {
    doubts.push(`${named(place)} cannot be checked: its schema is too involved`);
    return;
  }
  steps.left -= 1;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
    problems.push(`${named(place)} must be ${types.join(" or ")}, got ${kindOf(value)}`);
    return;
  }
  checkMembers(schema, value, place, problems);
  if (isWhole) checkCombined(schema, value, place, check, depth);
  if (typeof value === "number") checkNumber(schema, value, place, check);
  if (typeof value === "string") checkText(schema, value, place, problems);
  if (isJsonArray(value)) checkArray(schema, value, place, check, depth);
  if (isJsonObject(value)) checkObject(schema, value, place, check, depth);
}

function checkCombined(schema: JsonObject, value: Json, place: string, check: Check, depth: number): void {
  const { problems, doubts } = check;
  const target = referred(schema, check.root);
  if (target !== undefined) checkValue(target, value, place, check, depth + 1);
  for (const part of listAt(schema, "allOf")) checkValue(part, value, place, check, depth + 1);
  const trial = (part: Json): Trial => {
    const inner: Check = { ...check, problems: [], doubts: [] };
    checkValue(part, value, place, inner, depth + 1);
    return inner;
  };
  const anyOf = listAt(schema, "anyOf").map(trial);
  if (anyOf.length > 0 && !anyOf.some(isFit)) addMisfit(anyOf, check);
  const oneOf = listAt(schema, "oneOf").map(trial);
  const fitting = oneOf.filter(isFit).length;
  if (fitting > 1)
    problems.push(`${named(place)} must fit exactly one of ${oneOf.length} schemas, and fits ${fitting}`);
  else if (oneOf.length > 0 && (fitting === 0 || oneOf.some(isUnsure))) addMisfit(oneOf, check);
  const not = getOwn(schema, "not");
  if (not === undefined) return;
  const tried = trial(not);
  if (isUnsure(tried)) doubts.push(...tried.doubts.slice(0, 1));
  else if (isFit(tried)) problems.push(`${named(place)} must not be ${kindOf(value)}`);
}

/** The result of a check whose violations may be allowed. */
type Trial = Pick<Check, "problems" | "doubts">;

function isFit({ problems, doubts }: Trial): boolean {
  return problems.length === 0 && doubts.length === 0;
}

/** Whether the value may fit or not. A violation is certain, whatever else could not be checked. */
function isUnsure({ problems, doubts }: Trial): boolean {
  return problems.length === 0 && doubts.length > 0;
}

/** Adds the doubts of the alternatives that could not be checked. Without any, none of them fits, which is a violation. */
function addMisfit(tried: readonly Trial[], { problems, doubts }: Check): void {
  const unsure = tried.filter(isUnsure).flatMap((one) => one.doubts);
  if (unsure.length > 0) doubts.push(...unsure.slice(0, 1));
  else problems.push(alternatives(tried.map((one) => one.problems)));
}

function alternatives(wrong: readonly (readonly string[])[]): string {
  const shown = wrong.slice(0, SHOWN_ALTERNATIVES_MAX).map(([first = ""]) => first);
  return [...new Set(shown), ...(wrong.length > shown.length ? ["…"] : [])].join(", or ");
}

/** Resolves `$ref` within the same schema. Undefined when the target cannot be found. */
function referred(schema: JsonObject, root: JsonObject): Json | undefined {
  const ref = getOwn(schema, "$ref");
  if (typeof ref !== "string" || !ref.startsWith("#")) return undefined;
  let found: Json | undefined = root;
  for (const part of ref.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isJsonObject(found) ? getOwn(found, name) : isJsonArray(found) ? found[Number(name)] : undefined;
  }
  return found;
}

function checkMembers(schema: JsonObject, value: Json, place: string, problems: string[]): void {
  const fixed = getOwn(schema, "const");
  const members = fixed === undefined ? getOwn(schema, "enum") : [fixed];
  if (!isJsonArray(members)) return;
  const text = canonicalJson(value);
  if (members.some((member) => canonicalJson(member) === text)) return;
  const shown = members.slice(0, PROBLEMS_MAX).map((member) => JSON.stringify(member));
  problems.push(`${named(place)} must be one of ${shown.join(", ")}, got ${kindOf(value)}`);
}

function checkNumber(schema: JsonObject, value: number, place: string, { isWhole, problems }: Check): void {
  checkRange(schema, value, "minimum", "maximum", named(place), "", problems);
  if (!isWhole) return;
  const [above, below] = [getOwn(schema, "exclusiveMinimum"), getOwn(schema, "exclusiveMaximum")];
  if (typeof above === "number" && value <= above)
    problems.push(`${named(place)} must be more than ${above}, is ${value}`);
  if (typeof below === "number" && value >= below)
    problems.push(`${named(place)} must be less than ${below}, is ${value}`);
  const step = getOwn(schema, "multipleOf");
  if (typeof step !== "number" || step <= 0) return;
  const count = value / step;
  // Decimal fractions have no exact binary form: for the author of the schema, 0.3 is three times 0.1.
  if (Math.abs(count - Math.round(count)) > Number.EPSILON * Math.max(1, Math.abs(count)) * 4)
    problems.push(`${named(place)} must be a multiple of ${step}, is ${value}`);
}

function checkArray(schema: JsonObject, value: readonly Json[], place: string, check: Check, depth: number): void {
  const { isWhole, problems } = check;
  checkRange(schema, value.length, "minItems", "maxItems", `the length of ${named(place)}`, " elements", problems);
  if (isWhole && getOwn(schema, "uniqueItems") === true && new Set(value.map(canonicalJson)).size < value.length)
    problems.push(`${named(place)} must not hold the same element twice`);
  const first = isWhole ? listAt(schema, "prefixItems") : [];
  const items = getOwn(schema, "items");
  for (const [index, element] of value.entries()) {
    const own = first[index] ?? items;
    if (own !== undefined) checkValue(own, element, `${place}[${index}]`, check, depth + 1);
  }
}

function checkObject(schema: JsonObject, value: JsonObject, place: string, check: Check, depth: number): void {
  const { isWhole, problems } = check;
  for (const name of listAt(schema, "required")) {
    if (typeof name === "string" && getOwn(value, name) === undefined)
      problems.push(`${memberOf(place, name)} is missing`);
  }
  if (isWhole) {
    const size = Object.keys(value).length;
    checkRange(schema, size, "minProperties", "maxProperties", `the size of ${named(place)}`, " members", problems);
  }
  const properties = objectAt(schema, "properties");
  for (const [name, given] of Object.entries(value)) {
    const own = getOwn(properties, name);
    if (own !== undefined) checkValue(own, given, memberOf(place, name), check, depth + 1);
    if (isWhole) checkFurther(schema, name, given, { isDeclared: own !== undefined, place, check, depth });
  }
}

interface Further {
  readonly isDeclared: boolean;
  readonly place: string;
  readonly check: Check;
  readonly depth: number;
}

/** Checks a member that the schema does not name: `patternProperties` and `additionalProperties`. */
function checkFurther(
  schema: JsonObject,
  name: string,
  value: Json,
  { isDeclared, place, check, depth }: Further,
): void {
  let isKnown = isDeclared;
  for (const [text, own] of Object.entries(objectAt(schema, "patternProperties"))) {
    const pattern = compilePattern(text);
    if (!pattern.ok || !pattern.value.test(name)) continue;
    isKnown = true;
    checkValue(own, value, memberOf(place, name), check, depth + 1);
  }
  const rest = getOwn(schema, "additionalProperties");
  if (isKnown || rest === undefined) return;
  if (rest === false) check.problems.push(`${memberOf(place, name)} is not known`);
  else checkValue(rest, value, memberOf(place, name), check, depth + 1);
}

function checkText(schema: JsonObject, value: string, place: string, problems: string[]): void {
  const length = countCodePoints(value);
  checkRange(schema, length, "minLength", "maxLength", `the length of ${named(place)}`, " characters", problems);
  const text = getOwn(schema, "pattern");
  if (typeof text === "string") {
    const pattern = compilePattern(text);
    if (pattern.ok && !pattern.value.test(value)) problems.push(`${named(place)} must match the pattern ${text}`);
  }
  if (getOwn(schema, "format") === "uri" && !ABSOLUTE_ADDRESS.test(value))
    problems.push(`${named(place)} must be an absolute address`);
}

function checkRange(
  schema: JsonObject,
  size: number,
  least: string,
  most: string,
  what: string,
  unit: string,
  problems: string[],
): void {
  const [minimum, maximum] = [getOwn(schema, least), getOwn(schema, most)];
  if (typeof minimum === "number" && size < minimum)
    problems.push(`${what} must be at least ${minimum}${unit}, is ${size}`);
  if (typeof maximum === "number" && size > maximum)
    problems.push(`${what} must be at most ${maximum}${unit}, is ${size}`);
}

function typesOf(schema: JsonObject): readonly string[] {
  const type = getOwn(schema, "type");
  const types = isJsonArray(type) ? type : [type];
  return types.filter((name): name is string => typeof name === "string");
}

function isOfType(type: string, value: Json): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "array":
      return isJsonArray(value);
    case "object":
      return isJsonObject(value);
    default:
      return typeof value === type;
  }
}

export function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = getOwn(schema, key);
  return isJsonObject(value) ? value : {};
}

export function listAt(schema: JsonObject, key: string): readonly Json[] {
  const value = getOwn(schema, key);
  return isJsonArray(value) ? value : [];
}

export function kindOf(value: Json): string {
  if (isJsonArray(value)) return `a list of ${value.length}`;
  if (isJsonObject(value)) return "an object";
  const text = JSON.stringify(value);
  return text.length <= QUOTED_LENGTH_MAX ? text : `${text.slice(0, QUOTED_LENGTH_MAX)}…`;
}

export function quoted(name: string): string {
  return JSON.stringify(name);
}

function named(place: string): string {
  return place === "" ? "the whole" : place;
}

function memberOf(place: string, name: string): string {
  return place === "" ? quoted(name) : `${place}.${quoted(name)}`;
}
