import { type FormEvent, type JSX, useState } from "react";
import { plainText } from "../../../core/text/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { TimeText } from "../../parts/time-text.tsx";

/** The comments on an approval. A comment is not an answer. */
export function CommentsView({ approvalId }: { readonly approvalId: string }): JSX.Element {
  const key = `approval-comments/${approvalId}`;
  const found = useQuery(key, () => api.approvals.listComments(approvalId, { limit: 100 }), {
    tags: [`approval:${approvalId}`],
  });
  const mayComment = useMay("governance:approve");
  const [text, setText] = useState("");
  const adding = useAction(async () => {
    await api.approvals.comment(approvalId, text.trim());
    setText("");
    await cache.refresh(key);
  });
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== "") void adding.run();
  };
  const comments = found.data?.data ?? [];
  return (
    <section className="subject-part" aria-label="Comments">
      <h3>
        Comments{comments.length > 0 && ` (${comments.length}${found.data?.nextCursor === undefined ? "" : "+"})`}
      </h3>
      {comments.length > 0 && (
        <ul className="comments">
          {comments.map(({ id, by, at, text: said }) => (
            <li key={id}>
              <p className="muted">
                {by}, <TimeText at={at} />
              </p>
              <p className="comment-text">{plainText(said)}</p>
            </li>
          ))}
        </ul>
      )}
      {mayComment && (
        <form className="stack" onSubmit={add}>
          <Field label="Add a comment">
            <textarea rows={2} value={text} maxLength={10_000} onChange={(event) => setText(event.target.value)} />
          </Field>
          <div>
            <Button size="small" type="submit" disabled={text.trim() === ""} isBusy={adding.isBusy}>
              Comment
            </Button>
          </div>
        </form>
      )}
      {adding.problem !== null && <ProblemView problem={adding.problem} />}
    </section>
  );
}
