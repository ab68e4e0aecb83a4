import { operand } from "./operand.ts";
import { calculatedRef, LEVEL, pathRef, type Ref } from "./reference.ts";
import { freeName } from "./scope.ts";

/** Returns a call of an expression function. A JavaScript function among the arguments becomes a lambda. */
export function invoke<T>(name: string, ...args: readonly unknown[]): Ref<T> {
  const given = args.slice(0, args.findLastIndex((argument) => argument !== undefined) + 1);
  return calculatedRef(`${name}(${given.map(argumentText).join(", ")})`, LEVEL.operand);
}

type Body = (...parameters: readonly Ref<unknown>[]) => unknown;

/** Parameter names of the enclosing lambdas, so that an inner parameter does not hide an outer one. */
const open: string[] = [];

function argumentText(argument: unknown): string {
  const isLambda = typeof argument === "function" && Object.hasOwn(argument, "length");
  return isLambda ? lambdaText(argument as Body) : operand(argument, LEVEL.choice);
}

function lambdaText(body: Body): string {
  const names = Array.from({ length: Math.max(1, body.length) }, () => {
    const name = freeName(["x", "y", "z"], open);
    open.push(name);
    return name;
  });
  try {
    const text = operand(body(...names.map((name) => pathRef<unknown>(name))), LEVEL.choice);
    return `${names.length === 1 ? names.join("") : `(${names.join(", ")})`} => ${text}`;
  } finally {
    open.length -= names.length;
  }
}
