import type { z } from "zod";
import type { bulkAnswerBody, bulkAnsweredSchema } from "../contract/index.ts";
import { Refused } from "./problem.ts";
import type { Call } from "./route.ts";
import { answerApproval } from "./routes/approvals.ts";
import { approvalOnWire } from "./wire.ts";

type Given = z.output<typeof bulkAnswerBody>["answers"][number];
type Outcome = z.output<typeof bulkAnsweredSchema>["data"][number];

/** Answers under way at a time: many fit into one commit, and the queue stays short for others. */
const AT_ONCE = 25;

/** Answers one approval after the other by the rule for a single answer; a refusal does not stop the others. */
export async function answerMany(
  caller: Pick<Call<unknown, unknown>, "services" | "principal">,
  { answers }: z.output<typeof bulkAnswerBody>,
): Promise<z.output<typeof bulkAnsweredSchema>> {
  const data: Outcome[] = [];
  for (let from = 0; from < answers.length; from += AT_ONCE) {
    const some = answers.slice(from, from + AT_ONCE);
    data.push(...(await Promise.all(some.map((given) => answerOne(caller, given)))));
  }
  const answered = data.filter(({ isAnswered }) => isAnswered).length;
  return { answered, refused: data.length - answered, data };
}

async function answerOne(
  { services, principal }: Pick<Call<unknown, unknown>, "services" | "principal">,
  { id, subjectDigest, ...answer }: Given,
): Promise<Outcome> {
  try {
    // An empty digest fits no subject, so that what has one cannot be answered without it.
    const body = { ...answer, subjectDigest: subjectDigest ?? "" };
    const seen = subjectDigest === null ? await hasNoSubject(services, principal.orgId, id) : false;
    const approval = await answerApproval({
      services,
      principal,
      params: { approvalId: id },
      body: seen ? answer : body,
    });
    return { id, isAnswered: true, code: null, message: null, approval: { ...approvalOnWire(approval), subject: null } };
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown;
    return { id, isAnswered: false, code: thrown.code, message: thrown.message, approval: null };
  }
}

async function hasNoSubject({ store }: Call<unknown, unknown>["services"], orgId: string, id: string): Promise<boolean> {
  return (await store.getApproval(orgId, id))?.subjectDigest === null;
}
