import { isoFromEpochMs } from "../core/view/index.ts";
import type { RunRecord, WorkflowRecord } from "../store/index.ts";
import type { Principal } from "./auth.ts";
import { csrfTokenOf, sessionSecretOf } from "./credentials.ts";
import { html, page, type Html } from "./html.ts";
import { problemTable } from "./openapi.ts";
import { Refused } from "./problem.ts";
import type { Route, Services } from "./route.ts";
import type { ShownProvider } from "./sign-in.ts";

const LISTED = { limit: 25, cursor: null } as const;

/** The plain front page: the runs for signed-in callers, and an introduction for all others. */
export async function homePage(services: Services, request: Request): Promise<Response> {
  const principal = await signedIn(services, request);
  if (principal === null) return page("Sluice", welcome(null, services.signIn.shown));
  const { store } = services;
  const may = (permission: string): boolean => principal.permissions.has(permission);
  const workflows = may("workflow:read") ? (await store.listWorkflows(principal.orgId, LISTED)).data : [];
  const runs = may("run:read") ? (await store.listRuns(principal.orgId, {}, LISTED)).data : [];
  const csrf = csrfTokenOf(sessionSecretOf(request, services.config.publicUrl) ?? "");
  return page("Sluice", overview(principal, csrf, workflows, runs));
}

async function signedIn({ callers, config }: Services, request: Request): Promise<Principal | null> {
  const secret = sessionSecretOf(request, config.publicUrl);
  if (secret === null) return null;
  const choice = { named: null, isPersonal: true, isUse: true };
  return callers.identify({ secret, isCookie: true }, choice).catch((error: unknown) => {
    if (error instanceof Refused) return null;
    throw error;
  });
}

function overview(
  principal: Principal,
  csrf: string,
  workflows: readonly WorkflowRecord[],
  runs: readonly RunRecord[],
): Html {
  return html`<h1>Sluice</h1>
    <form method="post" action="/session/end">
      <input type="hidden" name="csrf" value="${csrf}" />
      <p>Signed in as “${principal.label}”. <button>Sign out</button></p>
    </form>
    <h2>Workflows</h2>
    ${table(
      ["Name", "Version", "Status"],
      workflows.map(({ name, status, latest }) => [name, latest.version, status]),
    )}
    <h2>Runs</h2>
    ${table(
      ["Run", "Workflow", "Status", "Created", "Cost (USD)"],
      runs.map((run) => [
        run.runId,
        run.workflow,
        run.status,
        isoFromEpochMs(run.createdAt),
        (run.costMicros / 1_000_000).toFixed(6),
      ]),
    )}
    <p><a href="/docs">API</a></p>`;
}

function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): Html {
  if (rows.length === 0) return html`<p>None yet.</p>`;
  return html`<table>
    <thead>
      <tr>
        ${heads.map((head) => html`<th>${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${row.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

export function welcome(trouble: string | null, providers: readonly ShownProvider[]): Html {
  return html`<h1>Sluice</h1>
    <p>Runs AI-agent workflows as durable graphs in which every node passes the gates before it may act.</p>
    ${trouble === null ? html`` : html`<p role="alert">${trouble}</p>`}
    ${providers.map(({ name, label }) => html`<p><a href="/auth/${name}/start">Sign in at ${label}</a></p>`)}
    <form method="post" action="/session">
      <label>Key <input name="key" type="password" autocomplete="current-password" required /></label>
      <button>Sign in</button>
    </form>
    <h2>From a terminal</h2>
    <pre><code>curl -H "Authorization: Bearer $SLUICE_KEY" -H "Content-Type: application/yaml" \\
  --data-binary @hello.lobsterX -X PUT $SLUICE_URL/api/v1/workflows/hello
curl -H "Authorization: Bearer $SLUICE_KEY" -H "Content-Type: application/json" \\
  -d '{"workflow": "hello"}' $SLUICE_URL/api/v1/runs</code></pre>
    <p><a href="/docs">API</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/healthz">Health</a></p>`;
}

/** The API documentation as a page without scripts. */
export function docsPage(routes: readonly Route[]): Response {
  return page(
    "Sluice API",
    html`<h1>API</h1>
      <p>
        Send a key as <code>Authorization: Bearer slk_…</code>. Bodies are JSON in UTF-8. The same as a document for
        programs: <a href="/openapi.json">openapi.json</a>.
      </p>
      <h2>Routes</h2>
      ${table(
        ["Method", "Path", "Does", "Needs"],
        routes.map(({ method, path, summary, permission }) => [method, path, summary, permission ?? "any key"]),
      )}
      <h2>Problems</h2>
      <p>Errors are <code>application/problem+json</code>; programs read <code>code</code>.</p>
      ${table(
        ["Code", "Status", "Means"],
        problemTable().map(({ code, status, title }) => [code, status, title]),
      )}`,
  );
}
