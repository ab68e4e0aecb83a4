/** Kinds that a scope can name for a dispatch. */
const DISPATCH_KINDS = ["gateway", "agent", "tool", "workflow"] as const;
const ENTRY_KINDS = ["trigger", "channel", "webhook", "secret"] as const;
export const SCOPE_KINDS = [...DISPATCH_KINDS, ...ENTRY_KINDS] as const;

/** A use of a secret by a dispatch to a gateway. */
export interface DispatchUse extends Readonly<Record<Exclude<(typeof DISPATCH_KINDS)[number], "tool">, string>> {
  readonly by: "dispatch";
  /** The target, server or tool whose configuration names the secret; null when the adapter itself uses it. */
  readonly tool: string | null;
}

/** A registered entry that the server itself uses. */
export interface EntryUse {
  readonly by: (typeof ENTRY_KINDS)[number];
  readonly name: string;
}

export type SecretUse = DispatchUse | EntryUse;

/**
 * For a dispatch, at least one kind of scope must be written, and each written kind needs one scope that matches: the
 * kinds narrow each other. A trigger, a channel, a webhook or another secret needs a scope of its own kind.
 */
export function isInScope(scopes: readonly string[], use: SecretUse): boolean {
  if (use.by !== "dispatch") return namesOf(scopes, use.by).some((name) => fits(name, use.name));
  const written = DISPATCH_KINDS.filter((kind) => namesOf(scopes, kind).length > 0);
  return written.length > 0 && written.every((kind) => namesOf(scopes, kind).some((name) => fits(name, use[kind])));
}

/** A kind alone means every name. */
function namesOf(scopes: readonly string[], kind: string): readonly string[] {
  return scopes.flatMap((scope) => {
    if (scope === kind) return ["*"];
    return scope.startsWith(`${kind}:`) ? [scope.slice(kind.length + 1)] : [];
  });
}

/** `billing/*` also matches the server `billing` itself, which has the tools. */
function fits(pattern: string, name: string | null): boolean {
  if (name === null) return false;
  return pattern === `${name}/*` || isLike(pattern.split("*"), name);
}

/** Checks whether the pieces between the stars occur in the name in order, the first and the last at its ends. */
function isLike(pieces: readonly string[], name: string): boolean {
  const [first = "", ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let from = first.length;
  for (const piece of others) {
    const at = name.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from <= name.length - last.length;
}

/** Formats a use for messages. */
export function useText(use: SecretUse): string {
  if (use.by !== "dispatch") return `${use.by}:${use.name}`;
  const tool = use.tool === null ? [] : [`tool:${use.tool}`];
  return [`gateway:${use.gateway}`, `agent:${use.agent}`, `workflow:${use.workflow}`, ...tool].join(" ");
}
