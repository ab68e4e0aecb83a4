import { type JSX, useEffect, useState } from "react";
import type { JsonObject } from "../../core/base/index.ts";
import { api } from "../live/api.ts";
import { cronWords } from "./cron-words.ts";

const PAUSE_MS = 300;
const CLOCK = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;

/** Explains a timing while it is written: in words, and with the next moments calculated by the server. */
export function CronView({ timing }: { readonly timing: JsonObject }): JSX.Element | null {
  const cron = typeof timing["cron"] === "string" ? timing["cron"] : "";
  const timezone = typeof timing["timezone"] === "string" ? timing["timezone"] : "UTC";
  const due = useDue(cron, timezone);
  const words = cronWords(cron);
  if (words === null || due.slots.length === 0) return null;
  const clock = new Intl.DateTimeFormat("en-GB", { ...CLOCK, timeZone: due.timezone });
  return (
    <div className="manifest-cron" role="status">
      <strong>
        {words} <span className="muted">({due.timezone})</span>
      </strong>
      <ol aria-label="Next times">
        {due.slots.map((at) => (
          <li key={at}>
            <time dateTime={at}>{clock.format(new Date(at))}</time>
          </li>
        ))}
      </ol>
    </div>
  );
}

interface Due {
  /** A timezone that the server has accepted, so it is valid. */
  readonly timezone: string;
  readonly slots: readonly string[];
}

const NOTHING: Due = { timezone: "UTC", slots: [] };

function useDue(cron: string, timezone: string): Due {
  const [due, setDue] = useState<Due>(NOTHING);
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      api.triggers.nextSlots({ cron, timezone }).then(
        ({ nextSlots: slots }) => isCurrent && setDue({ timezone, slots }),
        // The problem is shown at the field.
        () => isCurrent && setDue(NOTHING),
      );
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [cron, timezone]);
  return due;
}
