import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { ApiProblem, type SluiceClient } from "../client/index.ts";
import { listExposed } from "./workflow-tool.ts";

const URI = /^sluice:\/\/(runs|workflows)\/([^/?#]+)$/;
const YAML = "application/yaml";
const JSON_TYPE = "application/json";

export const TEMPLATES: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      name: "run",
      title: "State of a run",
      description: "Status of the run, and each node with its outputs, failures and cost.",
      uriTemplate: "sluice://runs/{id}",
      mimeType: JSON_TYPE,
    },
    {
      name: "workflow",
      title: "Text of a workflow",
      description: "The newest version of an exposed workflow, as its author wrote it.",
      uriTemplate: "sluice://workflows/{name}",
      mimeType: YAML,
    },
  ],
};

/** Returns the exposed workflows as resources. Runs are too many to list; tools return their ids. */
export async function listResources(api: SluiceClient, cursor: string | null): Promise<ListResourcesResult> {
  const { workflows, nextCursor } = await listExposed(api, cursor).catch((error: unknown) => {
    if (error instanceof ApiProblem && error.status === 403) return { workflows: [], nextCursor: null };
    throw protocolError(error);
  });
  return {
    resources: workflows.map(({ name, version }) => ({
      name,
      title: `${name}@${version}`,
      uri: `sluice://workflows/${encodeURIComponent(name)}`,
      mimeType: YAML,
    })),
    ...(nextCursor === null ? {} : { nextCursor }),
  };
}

export async function readResource(api: SluiceClient, uri: string): Promise<ReadResourceResult> {
  const { kind, id } = addressOf(uri);
  try {
    if (kind === "runs") return textOf(uri, JSON_TYPE, JSON.stringify(await api.getState(id)));
    const { exposed, version } = await api.getWorkflow(id);
    if (!exposed) throw new ResourceNotFoundError(uri);
    return textOf(uri, YAML, (await api.getVersion(id, version)).source);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) throw new ResourceNotFoundError(uri, error.message);
    throw protocolError(error);
  }
}

function addressOf(uri: string): { readonly kind: string; readonly id: string } {
  const [, kind, id] = URI.exec(uri) ?? [];
  if (kind === undefined || id === undefined) throw new ResourceNotFoundError(uri);
  try {
    return { kind, id: decodeURIComponent(id) };
  } catch {
    throw new ResourceNotFoundError(uri);
  }
}

function textOf(uri: string, mimeType: string, text: string): ReadResourceResult {
  return { contents: [{ uri, mimeType, text }] };
}

/** Converts an API problem to a protocol error with the same code and message, for requests without a tool result. */
export function protocolError(error: unknown): unknown {
  if (!(error instanceof ApiProblem)) return error;
  const code = error.status < 500 ? ProtocolErrorCode.InvalidRequest : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, `${error.code}: ${error.message}`, { code: error.code, status: error.status });
}
