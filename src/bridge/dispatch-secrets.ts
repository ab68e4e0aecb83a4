import type { FindSecret, HandedSecret } from "../adapter/index.ts";
import { fail, succeed } from "../core/base/index.ts";

/** Returns the function with which an adapter finds the secrets that came with its dispatch. */
export function finderOf(handed: readonly HandedSecret[]): FindSecret {
  return (name, tool) => {
    const found = handed.find((one) => one.name === name && one.tool === tool);
    if (found === undefined) return undefined;
    return "value" in found ? succeed(found.value) : fail({ code: found.code, message: found.message });
  };
}
