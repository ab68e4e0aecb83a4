import { isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import type { Decision, FormFields, Subject } from "../core/event/index.ts";
import { diffText, markdownHtml } from "../core/text/index.ts";
import { ANSWERS_LABEL, approvalUrl, sectionsOf, type SubjectSection, valueText } from "../outside/channel/index.ts";
import type { ApprovalRecord, ApprovalTicket } from "../store/index.ts";
import { type Html, html, page } from "./html.ts";

/** A ticket is a credential in an address: nothing keeps it, nothing hands it on, nothing lists it. */
const HEADERS = {
  "x-robots-tag": "noindex, nofollow, noarchive",
  "cache-control": "no-store",
  // The address of the page is the ticket.
  "referrer-policy": "no-referrer",
} as const;

export interface TicketView {
  readonly ticket: ApprovalTicket;
  readonly approval: ApprovalRecord;
  readonly hasContent: boolean;
  /** Only after signing in. */
  readonly needsSignIn: boolean;
  /** What was wrong with the answer before; null: there was none. */
  readonly trouble: string | null;
  /** What was entered then, so that it need not be entered again. */
  readonly entered: URLSearchParams;
}

const WORDS: Readonly<Record<Decision, string>> = {
  approve: "Approve",
  reject: "Reject",
  retry: "Try again",
  skip: "Skip",
  abort: "Abort the run",
};

/** What is asked, and a form for the answer. */
export function ticketPage(view: TicketView, status = 200): Response {
  const { ticket, approval, hasContent, needsSignIn, trouble } = view;
  const { subject } = approval;
  const policies = (subject?.policies ?? []).map(
    ({ name, reason }) => html`<p><strong>${name}</strong>: ${reason}</p>`,
  );
  const body = html`<h1>${approval.title}</h1>
    ${trouble === null ? html`` : html`<p role="alert">${trouble}</p>`}
    ${
      // With the content come all the reasons.
      policies.length === 0 || hasContent
        ? html``
        : html`<h2>Why this is asked</h2>
            ${policies}`
    }
    ${
      hasContent && subject !== null
        ? sectionsOf(subject, approval)
            .filter(({ label }) => needsSignIn || label !== ANSWERS_LABEL)
            .map(sectionHtml)
        : html`<p>The content is shown after <a href="${approvalUrl(approval)}">signing in</a>.</p>`
    }
    ${needsSignIn ? signInPart(approval) : answerForm(view)}
    <p><small>${whoText(ticket)} Opening this page decides nothing.</small></p>`;
  return withHeaders(page(approval.title, body, status));
}

export const CONFIRMED = "confirmed";

/** What a person has changed, as a difference, before it is sent. */
export function confirmPage({ approval, entered }: TicketView, modifications: JsonObject): Response {
  const before = changeableInputs(approval.subject);
  const inputs = isJsonObject(modifications["inputs"] ?? null) ? (modifications["inputs"] as JsonObject) : {};
  const kept = [...entered].filter(([name]) => name !== "decision" && name !== CONFIRMED);
  const body = html`<h1>${approval.title}</h1>
    <p role="alert">You have changed what is sent. It counts once you confirm it.</p>
    ${Object.entries(inputs).map(
      ([name, value]) =>
        html`<h2>${name}</h2>
          <pre>${diffText(valueText(before[name] ?? null), valueText(value))}</pre>`,
    )}
    <form method="post">
      ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <input type="hidden" name="${CONFIRMED}" value="true" />
      <p><button name="decision" value="approve">Approve with these changes</button></p>
    </form>
    <p><a href="">Change it again</a></p>`;
  return withHeaders(page(approval.title, body));
}

/** A link that answers nothing any more, or never did: what happened, and what to do next. */
export function refusedPage(
  title: string,
  text: string,
  status: number,
  next: { readonly href: string; readonly label: string } | null,
): Response {
  const body = html`<h1>${title}</h1>
    <p>${text}</p>
    ${next === null ? html`` : html`<p><a href="${next.href}">${next.label}</a></p>`}`;
  return withHeaders(page(title, body, status));
}

export function answeredPage(approval: ApprovalRecord): Response {
  const { status, title, answers, quorum } = approval;
  const isOpen = status === "pending";
  const text = isOpen
    ? `Your answer counts: ${answers.length} of ${quorum} people have approved. Others have to answer as well.`
    : `It is ${status} now. Nothing else has to be done.`;
  return refusedPage(`Answered: ${title}`, text, 200, {
    href: approvalUrl(approval),
    label: "Look at it in the console",
  });
}

export function withHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  return response;
}

function whoText({ address, name }: ApprovalTicket): string {
  if (address === "") return "This page is for everyone who has seen the message; only people who sign in can answer.";
  return `This link is for ${name === address ? address : `${name} (${address})`} and works once.`;
}

function signInPart(approval: ApprovalRecord): Html {
  const { confirm, subject } = approval;
  const why =
    confirm === null && subject !== null
      ? "It can have an effect that cannot be taken back, so that a link in a message is not enough to answer."
      : "A link in a message is not enough to answer.";
  return html`<p>${why}</p>
    <p><a href="${approvalUrl(approval)}">Sign in to answer</a></p>`;
}

function answerForm({ approval, hasContent, entered }: TicketView): Html {
  const { choices, subject, subjectDigest, form } = approval;
  const effects = new Map((subject?.answers ?? []).map(({ decision, effect }) => [decision, effect]));
  return html`<form method="post">
    <input type="hidden" name="subjectDigest" value="${subjectDigest ?? ""}" />
    ${form === null ? html`` : fieldsHtml(form, entered)} ${hasContent ? inputsHtml(subject, entered) : html``}
    <p>
      <label
        >Reason <small>(needed to reject)</small><br /><textarea name="reason" rows="3">
${entered.get("reason") ?? ""}</textarea>
      </label>
    </p>
    ${choices.map(
      (choice) =>
        html`<p><button name="decision" value="${choice}">${WORDS[choice]}</button> ${effects.get(choice) ?? ""}</p>`,
    )}
  </form>`;
}

function fieldsHtml(fields: FormFields, entered: URLSearchParams): Html {
  return html`<fieldset>
    <legend>To be filled in</legend>
    ${Object.entries(fields).map(([name, field]) => fieldHtml(name, field, entered))}
  </fieldset>`;
}

function fieldHtml(name: string, field: FormFields[string], entered: URLSearchParams): Html {
  const { label = name, description, required } = field;
  const mark = required ? html`` : html` <small>(optional)</small>`;
  return html`<p>
    <label>${label}${mark}<br />${controlHtml(`form.${name}`, field, entered)}</label>
    ${description === undefined ? html`` : html`<br /><small>${description}</small>`}
  </p>`;
}

function controlHtml(
  name: string,
  { type, enum: words, default: preset }: FormFields[string],
  entered: URLSearchParams,
): Html {
  const standard = preset === undefined || preset === null ? "" : valueText(preset);
  const value = entered.get(name) ?? (entered.size > 0 && type === "boolean" ? "" : standard);
  switch (type) {
    case "boolean":
      return value === "true"
        ? html`<input type="checkbox" name="${name}" value="true" checked />`
        : html`<input type="checkbox" name="${name}" value="true" />`;
    case "enum":
      return html`<select name="${name}">
        <option value=""></option>
        ${(words ?? []).map((word) =>
          String(word) === value
            ? html`<option value="${word}" selected>${word}</option>`
            : html`<option value="${word}">${word}</option>`,
        )}
      </select>`;
    case "text":
      return html`<textarea name="${name}" rows="4">${value}</textarea>`;
    case "number":
    case "integer":
      return html`<input type="number" step="${type === "integer" ? "1" : "any"}" name="${name}" value="${value}" />`;
    case "date":
      return html`<input type="date" name="${name}" value="${value}" />`;
    default:
      return html`<input name="${name}" value="${value}" />`;
  }
}

/** What a person may change before it is sent. Values that are only shown in part cannot be. */
export function changeableInputs(subject: Subject | null): JsonObject {
  const inputs = Object.entries(subject?.request?.inputs ?? {});
  return Object.fromEntries(inputs.filter(([, value]) => !isLarge(value)));
}

function isLarge(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "$ref");
}

function inputsHtml(subject: Subject | null, entered: URLSearchParams): Html {
  const inputs = Object.entries(changeableInputs(subject));
  if (inputs.length === 0) return html``;
  return html`<details>
    <summary>Change what is sent</summary>
    ${inputs.map(
      ([name, value]) =>
        html`<p>
          <label
            >${name}<br /><textarea name="input.${name}" rows="4">
${entered.get(`input.${name}`) ?? valueText(value)}</textarea>
          </label>
        </p>`,
    )}
  </details>`;
}

function sectionHtml({ label, kind, text, rows }: SubjectSection): Html {
  const body =
    rows.length > 0
      ? html`<table>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((cell) => html`<td>${cell}</td>`)}
              </tr>`,
          )}
        </table>`
      : kind === "markdown"
        ? html`<div class="markdown">${markdownHtml(text)}</div>`
        : html`<pre>${text}</pre>`;
  return html`<h2>${label}</h2>
    ${body}`;
}
