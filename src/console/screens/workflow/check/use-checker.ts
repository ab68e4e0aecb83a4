import { useEffect, useMemo, useState } from "react";
import { api } from "../../../live/api.ts";
import { Checker } from "./checker.ts";
import type { CheckReport, Reply } from "./protocol.ts";

/** Returns a checker that exists as long as the component is mounted. */
export function useChecker(): Checker {
  const checker = useMemo(
    () =>
      new Checker({
        open: (onReply) => {
          const script = new Worker(new URL("./check-script.ts", import.meta.url), { type: "module" });
          script.addEventListener("message", ({ data }: MessageEvent<Reply>) => onReply(data));
          return {
            post: (question) => script.postMessage(question, { transfer: [] }),
            close: () => script.terminate(),
          };
        },
        after: (ms, run) => {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
      }),
    [],
  );
  useEffect(() => () => checker.close(), [checker]);
  return checker;
}

export interface Checked {
  /** Null before the first report. */
  readonly report: CheckReport | null;
  /** Whether the report is for the current text. */
  readonly isCurrent: boolean;
}

const SERVER_WAIT_MS = 500;

/**
 * Checks a text whenever it changes. If the text refers to steps of the registry, which only the server knows, it is
 * also sent to the server, and the server's report replaces the local one.
 */
export function useCheck(checker: Checker, source: string): Checked {
  const [checked, setChecked] = useState<{ readonly source: string; readonly report: CheckReport } | null>(null);
  useEffect(() => checker.check(source, (report) => setChecked({ source, report })), [checker, source]);
  const isCurrent = checked?.source === source;
  const isReferring = isCurrent && checked.report.warnings.some(({ code }) => code === "unknown_library_step");
  useEffect(() => {
    if (!isReferring) return undefined;
    let isWanted = true;
    const ask = async (): Promise<void> => {
      const { problems, warnings } = await api.validate(source);
      if (!isWanted) return;
      setChecked((before) => {
        if (before?.source !== source) return before;
        const { report } = before;
        return { source, report: { ...report, problems: placed(problems), warnings: placed(warnings) } };
      });
    };
    const timer = setTimeout(() => void ask().catch(() => undefined), SERVER_WAIT_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [isReferring, source]);
  return { report: checked?.report ?? null, isCurrent };
}

type Sent = Awaited<ReturnType<typeof api.validate>>["problems"];

function placed(problems: Sent): CheckReport["problems"] {
  return problems.map((problem) => ({ line: 1, column: 1, ...problem }) as CheckReport["problems"][number]);
}
