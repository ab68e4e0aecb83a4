import { randomUUID } from "node:crypto";
import { type App, problemResponse, Refused } from "../server/index.ts";
import { StoreUnavailable } from "../store/index.ts";
import type { CellMap } from "./cell-map.ts";
import { mergedMetrics } from "./merged-metrics.ts";
import { type OwnerOptions, ownerOf, type RequestOwner } from "./request-organisation.ts";

export interface CellRouterOptions extends OwnerOptions {
  readonly map: CellMap;
  /** Returns every cell by name, in the order of the file. Null when the cell cannot be used now. */
  readonly apps: () => ReadonlyMap<string, App | null>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

type Fetch = App["fetch"];

/** Creates a router that passes each request to the app of its organisation's cell. */
export function createCellRouter(options: CellRouterOptions): { readonly fetch: Fetch } {
  return {
    fetch: async (request, ...rest) => {
      const { pathname } = new URL(request.url);
      try {
        if (pathname === "/readyz") return await ready(options, request, rest);
        if (pathname === "/metrics") return await metrics(options, request, rest);
        return await handOver(options, request, rest, await ownerOf(request, options));
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        options.onTrouble(`${request.method} ${pathname} cannot be handed to a cell`, error);
        return unavailable(new Refused("not_ready", "The directory of the cells cannot be reached.", RETRY));
      }
    },
  };
}

type Rest = Parameters<Fetch> extends [Request, ...infer Others] ? Others : never;

async function handOver(
  options: CellRouterOptions,
  request: Request,
  rest: Rest,
  owner: RequestOwner,
): Promise<Response> {
  const { map, apps } = options;
  if (owner.kind === "organisation") {
    const cell = await map.cellOf(owner.orgId);
    if (cell !== null) return answerIn(options, cell, request, rest);
  }
  if (owner.kind === "any") return inTurn(options, request, rest, owner.organisations);
  const [anywhere] = [...apps().values()].filter((app) => app !== null);
  return anywhere === undefined ? noCell("any cell") : anywhere.fetch(request, ...rest);
}

async function answerIn({ apps }: CellRouterOptions, cell: string, request: Request, rest: Rest): Promise<Response> {
  const app = apps().get(cell) ?? null;
  return app === null ? noCell(`the cell ${cell}`) : app.fetch(request, ...rest);
}

/** Tries the cells of several possible organisations. The first cell that accepts the request answers it. */
async function inTurn(
  options: CellRouterOptions,
  request: Request,
  rest: Rest,
  organisations: readonly string[],
): Promise<Response> {
  const { map, apps } = options;
  const homes = await Promise.all(organisations.map((orgId) => map.cellOf(orgId)));
  const cells = organisations.length === 0 ? [...apps().keys()] : [...new Set(homes.filter((cell) => cell !== null))];
  let answer: Response | null = null;
  for (const cell of cells) {
    const tried = await answerIn(options, cell, request.clone(), rest);
    if (tried.status !== 404 && tried.status !== 401) return tried;
    answer ??= tried;
  }
  return answer ?? noCell("any cell");
}

/** Reports ready while at least one cell is ready, so that one unavailable cell does not affect the others. */
async function ready({ apps }: CellRouterOptions, request: Request, rest: Rest): Promise<Response> {
  const answers = await Promise.all(
    [...apps()].map(async ([name, app]) => ({ name, answer: await app?.fetch(request.clone(), ...rest) })),
  );
  const refused = refusalIn(answers);
  if (refused !== undefined) return refused;
  const cells = await Promise.all(
    answers.map(async ({ name, answer }) => {
      const body = answer?.ok === true ? ((await answer.json()) as Record<string, unknown>) : {};
      return { ...body, name, status: answer?.ok === true ? "ready" : "not_ready" };
    }),
  );
  if (cells.every(({ status }) => status !== "ready")) return noCell("any cell");
  const away = cells.filter(({ status }) => status !== "ready").map(({ name }) => name);
  const warnings = away.length === 0 ? {} : { warnings: [`Cells that cannot be used now: ${away.join(", ")}.`] };
  return Response.json({ status: "ready", cells, ...warnings });
}

/** Returns the answer of a cell that refuses the request itself, for example its host name. Then every cell does. */
function refusalIn(answers: readonly { readonly answer: Response | undefined }[]): Response | undefined {
  return answers.find(({ answer }) => answer !== undefined && answer.status >= 400 && answer.status < 500)?.answer;
}

async function metrics({ apps }: CellRouterOptions, request: Request, rest: Rest): Promise<Response> {
  const open = [...apps()].flatMap(([cell, app]) => (app === null ? [] : [{ cell, app }]));
  const answers = await Promise.all(
    open.map(async ({ cell, app }) => ({ cell, answer: await app.fetch(request.clone(), ...rest) })),
  );
  const refused = refusalIn(answers);
  if (refused !== undefined) return refused;
  const texts = await Promise.all(
    answers.map(async ({ cell, answer }) => ({ cell, text: answer.ok ? await answer.text() : "" })),
  );
  const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
  return new Response(mergedMetrics(texts), { headers });
}

function noCell(what: string): Response {
  return unavailable(
    new Refused("cell_unavailable", `The database of ${what} cannot be reached now; try again in a moment.`, RETRY),
  );
}

const RETRY = { headers: { "retry-after": "2" } };

function unavailable(refused: Refused): Response {
  return problemResponse(refused, `req_${randomUUID().replaceAll("-", "").slice(8)}`);
}
