import type {
  AnswerRight,
  Approval,
  ApprovalComment,
  ApprovalCounts,
  BulkAnswer,
  BulkAnswered,
  ListPage,
  PageOptions,
} from "../contract/index.ts";
import { NEEDS } from "./answer-needs.ts";
import type { Requests } from "./caller.ts";
import { encode } from "./query.ts";

/** Part of the API for an inbox of approvals: answering many at once, comments and assignment. */
export class ApprovalClient {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  counts(): Promise<ApprovalCounts> {
    return this.#requests.ask("GET", "/approvals/counts", {}, ["waiting", "mine"]);
  }

  /** Answers up to 200 approvals. Each is judged separately, and a refusal does not stop the others. */
  resolveMany(answers: BulkAnswer["answers"]): Promise<BulkAnswered> {
    return this.#requests.ask("POST", "/approvals/resolve", { body: { answers } }, ["answered", "data"]);
  }

  /** Returns whether the caller may answer, and the reason if not. */
  getRight(approvalId: string): Promise<AnswerRight> {
    return this.#requests.ask("GET", `/approvals/${encode(approvalId)}/right`, {}, ["mayAnswer"]);
  }

  /** Lists the comments, oldest first. */
  listComments(approvalId: string, page: PageOptions = {}): Promise<ListPage<ApprovalComment>> {
    return this.#requests.list(`/approvals/${encode(approvalId)}/comments`, { query: { ...page } });
  }

  comment(approvalId: string, text: string): Promise<ApprovalComment> {
    return this.#requests.ask("POST", `/approvals/${encode(approvalId)}/comments`, { body: { text } }, ["id", "text"]);
  }

  /** Assigns an approval to a name as in approver lists, or to `me`. Null removes the assignment. */
  assign(approvalId: string, to: string | null): Promise<Approval> {
    return this.#requests.ask("PUT", `/approvals/${encode(approvalId)}/assignee`, { body: { to } }, NEEDS.approval);
  }
}
