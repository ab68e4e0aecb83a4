import { pino } from "pino";
import type { Redactor } from "../core/redaction/index.ts";
import type { Config } from "./config.ts";
import type { Io } from "./io.ts";
import type { LogFormat, LogLevel } from "./log-words.ts";
import { oneLine } from "./terminal-text.ts";

/** Ids of the subject where known (`orgId`, `runId`, `nodeId`, `traceId`) and further fields. Never a secret, a prompt or an output. */
type About = Readonly<Record<string, string | number | undefined>>;

type Write = (message: string, about?: About) => void;

/** Log for the operator, with one line per fact. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly write: (line: string) => void;
  /** Removes the secrets this process knows. */
  readonly redact: (text: string) => string;
}

/**
 * Creates a log of JSON lines (`level`, `time`, `msg` and fields) for a collector, or of text lines for a person. An
 * entry always stays on one line, whatever its text contains, and known secrets are removed.
 */
export function createLog({ level, format, write, redact }: LogOptions): Log {
  const show = format === "json" ? (line: string) => line : readable;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => write(redact(show(line))) },
  );
  const at =
    (name: "debug" | "info" | "warn" | "error"): Write =>
    (message, about = {}) =>
      logger[name](about, message);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** The log of a server or a Bridge, on standard error. */
export function openLog(
  { err }: Pick<Io, "err">,
  { logLevel: level, logFormat }: Pick<Config, "logLevel" | "logFormat">,
  redactor: Pick<Redactor, "text">,
  otherwise: LogFormat,
): Log {
  const redact = (text: string): string => redactor.text(text);
  return createLog({ level, format: logFormat ?? otherwise, write: (line) => err.write(line), redact });
}

const RUN_ID = /\brun_[0-9a-z_]+/;

/** Returns a function that logs problems of background work. If the error names a run, the run id becomes a field of the line. */
export function troubleLogger(log: Log): (what: string, error: unknown) => void {
  return (what, error) => {
    const runId = RUN_ID.exec(what)?.[0];
    const reason = error instanceof Error ? error.message : String(error);
    log.error(what, { reason, ...(runId === undefined ? {} : { runId }) });
  };
}

/** Formats a line for people, with run and node ids first. Ids that only programs use are left out. */
function readable(text: string): string {
  const { level, msg = "", reason, runId, nodeId, ...more } = JSON.parse(text) as About & { readonly msg?: string };
  const mark = level === "info" ? "" : `${level}: `;
  const isNamed = runId === undefined || msg.includes(String(runId));
  const place = [isNamed ? undefined : runId, nodeId].filter((id) => id !== undefined).join(" ");
  const fields = Object.entries(more).filter(([name]) => !["time", "orgId", "traceId"].includes(name));
  const details = fields.length === 0 ? "" : ` (${fields.map(([name, value]) => `${name}: ${value}`).join(", ")})`;
  const why = reason === undefined ? "" : `: ${reason}`;
  return `sluice: ${oneLine(`${mark}${place === "" ? "" : `${place}: `}${msg}${why}${details}`)}\n`;
}
