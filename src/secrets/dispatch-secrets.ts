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
    const texts = textsOf(made);
    const wanted = references.filter(({ tool }) => tool === null || texts.some((text) => text.includes(tool)));
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

/** Returns the texts of a request that may name a tool: an adapter calls no tool that appears in none of them. */
function textsOf({ message, model = "", tools = [], inputs }: AdapterRequest): readonly string[] {
  return [message, model, ...tools, ...Object.values(inputs).filter((value) => typeof value === "string")];
}
