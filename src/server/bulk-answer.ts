import type { z } from "zod";
import type { bulkAnswerBody, BulkAnswered } from "../contract/index.ts";
import { Refused } from "./problem.ts";
import type { Call } from "./route.ts";
import { answerApproval, requireApproval } from "./routes/approvals.ts";
import { approvalOnWire } from "./wire.ts";

type Given = z.output<typeof bulkAnswerBody>["answers"][number];
type Outcome = BulkAnswered["data"][number];
type Caller = Pick<Call<unknown, unknown>, "services" | "principal">;

/** Number of answers processed at a time: many fit into one commit, and the queue stays short for other callers. */
const AT_ONCE = 50;

/** Answers many approvals, each by the rules for a single answer. A refusal does not stop the others. */
export async function answerMany(caller: Caller, answers: readonly Given[]): Promise<BulkAnswered> {
  const data: Outcome[] = [];
  for (let from = 0; from < answers.length; from += AT_ONCE) {
    const some = answers.slice(from, from + AT_ONCE);
    data.push(...(await Promise.all(some.map((given) => answerOne(caller, given)))));
  }
  const answered = data.filter(({ isAnswered }) => isAnswered).length;
  return { answered, refused: data.length - answered, data };
}

async function answerOne(caller: Caller, given: Given): Promise<Outcome> {
  const { id } = given;
  try {
    const { subject: _, ...approval } = approvalOnWire(await answer(caller, given));
    return { id, isAnswered: true, code: null, message: null, approval: { ...approval, subject: null } };
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown;
    return { id, isAnswered: false, code: thrown.code, message: thrown.message, approval: null };
  }
}

async function answer(caller: Caller, { id, decision, reason, subjectDigest }: Given) {
  const call = { ...caller, params: { approvalId: id } };
  if (subjectDigest === null && (await requireApproval(call)).subjectDigest !== null) {
    throw new Refused("content_changed", "It has a subject now; look again, and send its digest.");
  }
  return answerApproval({
    ...call,
    body: {
      decision,
      ...(reason === undefined ? {} : { reason }),
      ...(subjectDigest === null ? {} : { subjectDigest }),
    },
  });
}
