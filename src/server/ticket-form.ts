import type { z } from "zod";
import { answerBody } from "../contract/index.ts";
import type { Json, JsonObject } from "../core/base/index.ts";
import type { FormFields } from "../core/event/index.ts";
import { changeableInputs } from "../core/view/index.ts";
import { valueText } from "../outside/channel/index.ts";
import type { ApprovalRecord } from "../store/index.ts";
import { Refused } from "./problem.ts";
import { CONFIRMED, isFilledUnseen } from "./ticket-page.ts";

type Answer = z.output<typeof answerBody>;

/** Reads the answer from the form of a ticket page. Its values are checked later, like those of every answer. */
export function readTicketForm(sent: URLSearchParams, approval: ApprovalRecord, hasContent: boolean): Answer {
  const form = isFilledUnseen(approval, hasContent) ? null : approval.form;
  const reason = plainText(sent.get("reason") ?? "").trim();
  const decision = sent.get("decision") ?? "";
  const mayChange = hasContent && decision === "approve";
  const inputs = mayChange ? changedInputs(sent, changeableInputs(approval.subject)) : {};
  const read = answerBody.safeParse({
    decision,
    subjectDigest: sent.get("subjectDigest") ?? "",
    ...(reason === "" ? {} : { reason }),
    ...(form === null || decision !== "approve" ? {} : { form: enteredValues(sent, form, hasContent) }),
    ...(Object.keys(inputs).length === 0 ? {} : { modifications: { inputs } }),
  });
  if (read.success) return read.data;
  throw new Refused("invalid_request", "The form was not filled in as it is shown; open the page again.");
}

/** True when the person has confirmed the changes, which are first shown as a difference. */
export function isConfirmed(sent: URLSearchParams): boolean {
  return sent.get(CONFIRMED) === "true";
}

/** Browsers send line breaks as CR LF, whatever the field contained. */
function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function changedInputs(sent: URLSearchParams, inputs: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, before]): [string, Json][] => {
      const written = sent.get(`input.${name}`);
      if (written === null || plainText(written) === plainText(valueText(before))) return [];
      return [[name, typeof before === "string" ? plainText(written) : readValue(name, written)]];
    }),
  );
}

function readValue(name: string, written: string): Json {
  try {
    return JSON.parse(written) as Json;
  } catch {
    throw new Refused("invalid_request", `"${name}" is not text, so that its new value must be written as JSON.`);
  }
}

function enteredValues(sent: URLSearchParams, fields: FormFields, hasContent: boolean): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]): [string, Json][] => {
      const written = sent.get(`form.${name}`);
      // An unticked checkbox is not sent.
      if (field.type === "boolean") return [[name, written === "true"]];
      if (written === null) return [];
      // An emptied field means no value, not the default; a default that was not shown was not emptied.
      const hasShownDefault = (field.default ?? null) !== null && (hasContent || field.isDefaultFilled !== true);
      if (written === "") return hasShownDefault ? [[name, null]] : [];
      return [[name, valueOf(plainText(written), field)]];
    }),
  );
}

function valueOf(written: string, { type, enum: words }: FormFields[string]): Json {
  const isNumber =
    (type === "number" || type === "integer") && written.trim() !== "" && Number.isFinite(Number(written));
  if (isNumber) return Number(written);
  return words?.find((word) => String(word) === written) ?? written;
}
