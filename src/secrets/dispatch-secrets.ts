import { isJsonArray, isJsonObject, type Json, mayNameToolOf } from "../core/base/index.ts";
import type { AdapterRequest, HandedSecret, SecretReference } from "../adapter/index.ts";
import type { DispatchUse } from "../registry/index.ts";
import type { Secrets } from "./secrets.ts";

export interface DispatchSecretsOptions {
  readonly secrets: Pick<Secrets, "useAll">;
  /** Returns the secrets that the configuration of an adapter at a gateway names. */
  readonly referencesOf: (orgId: string, gatewayId: string, provider: string) => readonly SecretReference[];
}

/** The destination of a dispatch and the workflow it is for. */
export interface DispatchPlace {
  readonly orgId: string;
  readonly gatewayId: string;
  readonly provider: string;
  readonly workflow: string;
}

/** Finds the secrets sent with a dispatch: those its adapter at the gateway configures for a tool that the request names. */
export class DispatchSecrets {
  readonly #options: DispatchSecretsOptions;

  constructor(options: DispatchSecretsOptions) {
    this.#options = options;
  }

  /** Returns the query for the secrets. Undefined when the dispatch needs none and does not have to wait. */
  forDispatch(
    place: DispatchPlace,
    request: () => AdapterRequest,
  ): (() => Promise<readonly HandedSecret[]>) | undefined {
    const { orgId, gatewayId, provider } = place;
    const references = this.#options.referencesOf(orgId, gatewayId, provider);
    if (references.length === 0) return undefined;
    const made = request();
    const names = toolNamesIn(made);
    const wanted = references.filter(({ tool }) => tool === null || names(tool));
    return wanted.length === 0 ? undefined : () => this.#hand(place, made, wanted);
  }

  async #hand(
    { orgId, gatewayId: gateway, workflow }: DispatchPlace,
    { agentId: agent, runId: run, stepId: node }: AdapterRequest,
    wanted: readonly SecretReference[],
  ): Promise<readonly HandedSecret[]> {
    const uses = wanted.map(({ name, tool }) => {
      const use: DispatchUse = { by: "dispatch", gateway, agent, workflow, tool };
      return { name, use };
    });
    const found = await this.#options.secrets.useAll(orgId, uses, { actor: agent, run, node });
    return wanted.map(({ name, tool }, index): HandedSecret => {
      const result = found[index];
      if (result?.ok === true) return { name, tool, value: result.value };
      return { name, tool, code: "unknown_secret", message: "It is not known.", ...result?.failure };
    });
  }
}

/**
 * Returns a check whether a request may name a tool: one of its texts contains the name, or one of its tools is a pattern
 * that fits. Step tools do not count: the server runs them.
 */
function toolNamesIn(request: AdapterRequest): (tool: string) => boolean {
  const { message, model = "", tool: judged = "", stdin = "", tools = [], inputs } = request;
  const texts = [message, model, judged, stdin, ...tools, ...textsIn(inputs)];
  const patterns = tools.filter((name) => name.includes("*"));
  return (tool) =>
    texts.some((text) => text.includes(tool)) || patterns.some((pattern) => mayNameToolOf(pattern, tool));
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (isJsonArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
