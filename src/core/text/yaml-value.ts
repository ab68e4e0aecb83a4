import { isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import { LIMITS, type Json, type PathSegment } from "../base/index.ts";
import type { ProblemList } from "./problem-list.ts";
import { addDuplicateKey, addForbiddenKey, addTooDeep, checkNumber, isForbiddenKey, storableText } from "./rules.ts";

export type YamlMap = YAMLMap.Parsed;
export type YamlList = YAMLSeq.Parsed;
type YamlPair = Pair<ParsedNode, ParsedNode | null>;

/** `isKnown` is false when a value could not be read. The rest of the tree must then not be checked further. */
export interface YamlValue {
  readonly value: Json;
  readonly isKnown: boolean;
}

/** Converts composed YAML nodes to plain data. Anything that is not plain data becomes a problem. */
export function valueOf(node: ParsedNode, problems: ProblemList): YamlValue {
  const builder = new Builder(problems);
  const value = builder.value(node, 1);
  return { value, isKnown: builder.isKnown };
}

/** Returns the text of a key as written: `1.50` stays `1.50`. Null when the key is a list, a map or empty. */
export function keyTextOf(key: ParsedNode): string | null {
  if (!isScalar(key)) return null;
  if (key.type !== Scalar.PLAIN) return typeof key.value === "string" ? key.value : null;
  return key.source === "" ? null : (key.source ?? null);
}

class Builder {
  isKnown = true;
  readonly #problems: ProblemList;
  readonly #path: PathSegment[] = [];

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  value(node: ParsedNode | null, depth: number): Json {
    if (node === null) return null;
    if (isScalar(node)) return this.#scalar(node);
    if (isAlias(node)) return this.#unknown();
    if (depth > LIMITS.textDepthMax) {
      addTooDeep(this.#problems, node.range[0], this.#path);
      return this.#unknown();
    }
    return isSeq(node) ? this.#list(node, depth) : isMap(node) ? this.#map(node, depth) : this.#unknown();
  }

  #unknown(): null {
    this.isKnown = false;
    return null;
  }

  #list(list: YamlList, depth: number): Json {
    return list.items.map((item, index) => {
      this.#path.push(index);
      const value = this.value(item, depth + 1);
      this.#path.pop();
      return value;
    });
  }

  #map(map: YamlMap, depth: number): Json {
    const members = new Map<string, Json>();
    for (const pair of map.items) {
      const key = this.#key(pair);
      if (key === null) continue;
      this.#path.push(key);
      const offset = pair.key.range[0];
      if (isForbiddenKey(key)) addForbiddenKey(this.#problems, offset, this.#path, key);
      const name = storableText(this.#problems, offset, this.#path, key);
      if (members.has(name)) addDuplicateKey(this.#problems, offset, this.#path, key);
      const value = this.value(pair.value, depth + 1);
      if (!isForbiddenKey(key)) members.set(name, value);
      this.#path.pop();
    }
    return Object.fromEntries(members);
  }

  #key({ key }: YamlPair): string | null {
    const text = keyTextOf(key);
    const offset = key.range[0];
    if (text === null) {
      if (!isAlias(key)) {
        const message = isScalar(key) ? "A key is missing here." : "A key must be text, not a list or a map.";
        this.#problems.add(
          "yaml_syntax",
          offset,
          this.#path,
          message,
          "Write 'key: value', or put the text in quotes.",
        );
      }
      return this.#unknown();
    }
    if (text === "<<" && isScalar(key) && key.type === Scalar.PLAIN) {
      this.#problems.add(
        "yaml_alias",
        offset,
        this.#path,
        "Merge keys (<<) are not allowed.",
        "Write the fields out where they are needed.",
      );
      return this.#unknown();
    }
    return text;
  }

  #scalar(scalar: Scalar.Parsed): Json {
    const value = scalar.value;
    const offset = scalar.range[0];
    if (typeof value === "string") {
      // Only escapes, which exist only in double quotes, can produce characters that the text itself cannot contain.
      return scalar.type === Scalar.QUOTE_DOUBLE ? storableText(this.#problems, offset, this.#path, value) : value;
    }
    if (typeof value === "number") {
      return checkNumber(this.#problems, offset, this.#path, scalar.source, value) ? value : this.#unknown();
    }
    return typeof value === "boolean" || value === null ? value : this.#unknown();
  }
}
