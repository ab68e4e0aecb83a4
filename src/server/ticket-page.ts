import { isJsonObject, type JsonObject } from "../core/base/index.ts";
import type { Decision, FormFields, Subject } from "../core/event/index.ts";
import { diffText, markdownHtml, plainText } from "../core/text/index.ts";
import { changeableInputs } from "../core/view/index.ts";
import {
  ANSWERS_LABEL,
  approvalUrl,
  sectionsOf,
  type SubjectSection,
  untilText,
  valueText,
} from "../outside/channel/index.ts";
import type { ApprovalRecord, ApprovalTicket } from "../store/index.ts";
import { type Html, html, page } from "./html.ts";
import { fieldsHtml } from "./ticket-fields.ts";

/** A ticket is a credential in an address, so the page must not be cached, leaked by a referrer or indexed. */
const HEADERS = {
  "x-robots-tag": "noindex, nofollow, noarchive",
  "cache-control": "no-store",
  // The address of the page contains the ticket.
  "referrer-policy": "no-referrer",
} as const;

export interface TicketView {
  readonly ticket: ApprovalTicket;
  readonly approval: ApprovalRecord;
  readonly hasContent: boolean;
  /** Whether the recipient is signed in in this browser. */
  readonly isSignedIn: boolean;
  /** Whether the answer is possible only after sign-in. */
  readonly needsSignIn: boolean;
  /** The problem of the previous answer; null when there was none. */
  readonly trouble: Trouble | null;
  /** The values entered in the previous answer, so that they need not be entered again. */
  readonly entered: URLSearchParams;
}

export interface Trouble {
  readonly text: string;
  /** True when the problem is shown above the content, which has changed since; otherwise it is shown above the form. */
  readonly isOfContent: boolean;
}

const WORDS: Readonly<Record<Decision, string>> = {
  approve: "Approve",
  reject: "Reject",
  retry: "Try again",
  skip: "Skip",
  abort: "Abort the run",
};

/** Returns the page with the approval and a form for the answer. */
export function ticketPage(view: TicketView, status = 200): Response {
  const { ticket, approval, hasContent, needsSignIn, trouble } = view;
  const { subject } = approval;
  const policies = (subject?.policies ?? []).map(
    ({ name, reason }) => html`<p><strong>${name}</strong>: ${reason}</p>`,
  );
  const body = html`<h1>${plainText(approval.title)}</h1>
    ${trouble?.isOfContent === true ? alertHtml(trouble) : html``}
    ${hasContent ? html`<p><a href="#${ANSWER}">Go to the answer</a></p>` : html``} ${countHtml(approval, hasContent)}
    ${
      // The content includes all reasons.
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
        : html`<p>The content is shown after signing in.</p>
            ${needsSignIn ? html`` : linkHtml(approval, "Sign in and look at it")}`
    }
    <section id="${ANSWER}">${needsSignIn ? signInPart(view) : answerForm(view)}</section>
    <p><small>${untilText(approval)}. ${whoText(ticket)} Opening this page decides nothing.</small></p>`;
  return withHeaders(page(plainText(approval.title), body, status));
}

/** Anchor to which the page scrolls after a refused answer. */
const ANSWER = "answer";

function alertHtml({ text }: Trouble): Html {
  return html`<p role="alert">${text}</p>`;
}

export const CONFIRMED = "confirmed";

/** Shows the changes of a person as a difference, before they are submitted. */
export function confirmPage({ approval, entered }: TicketView, modifications: JsonObject): Response {
  const before = changeableInputs(approval.subject);
  const inputs = isJsonObject(modifications["inputs"] ?? null) ? (modifications["inputs"] as JsonObject) : {};
  const kept = [...entered].filter(([name]) => name !== "decision" && name !== CONFIRMED);
  const body = html`<h1>${plainText(approval.title)}</h1>
    <p role="alert">You have changed what is sent. It counts once you confirm it.</p>
    ${Object.entries(inputs).map(
      ([name, value]) =>
        html`<h2>${name}</h2>
          <pre>${plainText(diffText(valueText(before[name] ?? null), valueText(value)))}</pre>`,
    )}
    <form method="post">
      ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <input type="hidden" name="${CONFIRMED}" value="true" />
      <p><button class="main" name="decision" value="approve">Approve with these changes</button></p>
    </form>
    <p><a href="">Change it again</a></p>`;
  return withHeaders(page(plainText(approval.title), body));
}

/** Explains why a link cannot be used for an answer, and offers the next step. */
export function refusedPage(
  title: string,
  text: string,
  status: number,
  next: { readonly href: string; readonly label: string } | null,
): Response {
  const shown = plainText(title);
  const body = html`<h1>${shown}</h1>
    <p>${text}</p>
    ${next === null ? html`` : html`<p><a href="${next.href}">${next.label}</a></p>`}`;
  return withHeaders(page(shown, body, status));
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

function signInPart({ approval, isSignedIn }: TicketView): Html {
  const { confirm, subject } = approval;
  const why =
    confirm === null && subject !== null
      ? "It can have an effect that cannot be taken back, so that a link in a message is not enough to answer."
      : "A link in a message is not enough to answer.";
  return html`<p>${why}</p>
    ${linkHtml(approval, isSignedIn ? "Answer in the console" : "Sign in to answer")}`;
}

/** Shows how many of the required people have approved, and with the content their names. */
function countHtml({ quorum, answers }: ApprovalRecord, hasContent: boolean): Html {
  if (quorum === 1) return html``;
  const names = hasContent && answers.length > 0 ? ` (${answers.map(({ by }) => by).join(", ")})` : "";
  return html`<p>${quorum} people have to approve; ${answers.length} of them so far${names}.</p>`;
}

function linkHtml(approval: ApprovalRecord, words: string): Html {
  return html`<p><a class="main" href="${approvalUrl(approval)}">${words}</a></p>`;
}

/** Replaces the effect of approve, which says "as it is shown", where the content is not shown. */
const UNSEEN = "What is asked is done as it is shown after signing in; you have not seen it here.";

/** Without the content, the main button is the one to see it. */
function classOf(choice: Decision, hasContent: boolean): string {
  if (choice === "reject" || choice === "abort") return "bad";
  return hasContent && choice !== "skip" ? "main" : "";
}

function answerForm(view: TicketView): Html {
  const { approval, hasContent, entered, trouble } = view;
  const { choices, subject, subjectDigest, form } = approval;
  const effects = new Map((subject?.answers ?? []).map(({ decision, effect }) => [decision, effect]));
  const isUnseen = !hasContent && (subject?.request !== null || subject.call !== undefined);
  const effectOf = (choice: Decision): string =>
    choice === "approve" && isUnseen ? UNSEEN : (effects.get(choice) ?? "");
  return html`<form method="post" action="#${ANSWER}">
    ${trouble?.isOfContent === false ? alertHtml(trouble) : html``}
    <input type="hidden" name="subjectDigest" value="${subjectDigest ?? ""}" />
    ${form === null ? html`` : formHtml(approval, form, view)} ${hasContent ? inputsHtml(subject, entered) : html``}
    <p>
      <label
        >Reason <small>(needed to reject)</small><br /><textarea name="reason" rows="3">
${entered.get("reason") ?? ""}</textarea>
      </label>
    </p>
    ${choices.map(
      (choice) =>
        html`<p class="choice">
          <button name="decision" value="${choice}" class="${classOf(choice, hasContent)}">${WORDS[choice]}</button>
          <span>${effectOf(choice)}</span>
        </p>`,
    )}
  </form>`;
}

/** Values others have entered are part of the content. A person who cannot see it approves them unchanged. */
export function isFilledUnseen({ entered }: ApprovalRecord, hasContent: boolean): boolean {
  return entered !== null && !hasContent;
}

function formHtml(approval: ApprovalRecord, form: FormFields, { hasContent, entered }: TicketView): Html {
  if (isFilledUnseen(approval, hasContent)) {
    return html`<p>Others have filled in the form; what they entered is shown after signing in.</p>`;
  }
  const { entered: before } = approval;
  if (before === null) return fieldsHtml(hasContent ? form : withoutContent(form), entered);
  const fields = Object.entries(form).map(([name, field]) => [name, { ...field, default: before[name] ?? null }]);
  return fieldsHtml(Object.fromEntries(fields) as FormFields, entered);
}

const UNSEEN_DEFAULT = "Left empty, it is the value that is shown after signing in.";

function withoutContent(form: FormFields): FormFields {
  const fields = Object.entries(form).map(([name, field]): [string, FormFields[string]] => {
    if (field.isDefaultFilled !== true) return [name, field];
    const { default: _, description, ...rest } = field;
    const shown = description === undefined ? UNSEEN_DEFAULT : `${description} ${UNSEEN_DEFAULT}`;
    return [name, { ...rest, required: false, description: shown }];
  });
  return Object.fromEntries(fields);
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

function sectionHtml({ label, kind, text, rows, isBackground }: SubjectSection): Html {
  const body =
    rows.length > 0
      ? html`<table class="${(rows[0]?.length ?? 0) === 2 ? "values" : ""}">
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((cell) => html`<td>${cell}</td>`)}
              </tr>`,
          )}
        </table>`
      : kind === "markdown"
        ? html`<div class="markdown">${markdownHtml(text)}</div>`
        : kind === "prose"
          ? html`<p class="lines">${text}</p>`
          : html`<pre>${text}</pre>`;
  if (isBackground !== true)
    return html`<h2>${label}</h2>
      ${body}`;
  return html`<details>
    <summary>${label}</summary>
    ${body}
  </details>`;
}
