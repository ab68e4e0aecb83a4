import type { JsonObject } from "../core/base/index.ts";
import type { Plan } from "../core/plan/index.ts";
import type { SentProblem } from "../contract/index.ts";
import { fieldOf, filesWanted } from "./form-field.ts";
import { html, type Html, page } from "./html.ts";
import type { EndedRun } from "./run-outputs.ts";

/** The content of a form page, with the problems of the previous submission. */
export interface FormView {
  readonly title: string;
  readonly plan: Plan;
  /** The CSRF token of the session; null when no session is needed. */
  readonly csrf: string | null;
  /** Ensures that a page submitted twice starts one run. */
  readonly deliveryId: string;
  readonly given: JsonObject;
  readonly problems: readonly Pick<SentProblem, "message">[];
}

export function formPage({ title, plan, csrf, deliveryId, given, problems }: FormView): Response {
  const args = Object.entries(plan.args);
  const fields = args.map(([name, field]) => fieldOf(name, field, given[name]));
  const hasFiles = args.some(([, field]) => filesWanted(field) !== "none");
  const body = html`<h1>${title}</h1>
    ${problemList(problems)}
    <form method="post" class="fields" ${hasFiles ? html`enctype="multipart/form-data"` : ""}>
      <input type="hidden" name="delivery" value="${deliveryId}" />
      ${csrf === null ? "" : html`<input type="hidden" name="csrf" value="${csrf}" />`} ${fields}
      <p><button type="submit">Start</button></p>
    </form>`;
  return page(title, body, problems.length === 0 ? 200 : 422);
}

function problemList(problems: FormView["problems"]): Html | string {
  if (problems.length === 0) return "";
  const items = problems.map(({ message }) => html`<li>${message}</li>`);
  return html`<div role="alert">
    <p>Nothing was started:</p>
    <ul>
      ${items}
    </ul>
  </div>`;
}

/** `runId` is null when the trigger does not show its runs. */
export function startedPage(title: string, runId: string | null, ended: EndedRun | null): Response {
  const said = ended === null ? "Sent: it has started." : `Sent: it is ${ended.status}.`;
  const about = runId === null ? "" : html`<p>Run <code>${runId}</code></p>`;
  return page(
    title,
    html`<h1>${title}</h1>
      <p role="status">${said}</p>
      ${about}${outputsOf(ended)}`,
  );
}

function outputsOf(ended: EndedRun | null): Html | string {
  if (ended?.status !== "completed") return "";
  return html`<h2>Outputs</h2>
    <pre>${JSON.stringify(ended.outputs, null, 2)}</pre>`;
}

export function messagePage(title: string, text: string, status: number, link?: Html): Response {
  return page(
    title,
    html`<h1>${title}</h1>
      <p role="alert">${text}</p>
      ${link ?? ""}`,
    status,
  );
}
