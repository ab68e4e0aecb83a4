/** The little of it that tests use. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface GrantRecord {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId?: string };
      readonly provider: Provider;
    };
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: new (of: { clientId: string; accountId: string | undefined }) => GrantRecord;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }

  export type { Context };
}
