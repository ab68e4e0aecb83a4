import { pino } from "pino";
import type { Redactor } from "../core/redaction/index.ts";
import type { Config } from "./config.ts";
import type { Io } from "./io.ts";
import type { LogFormat, LogLevel } from "./log-words.ts";
import { oneLine } from "./terminal-text.ts";

/** What a fact is about where that is known (`orgId`, `runId`, `nodeId`, `traceId`), and further fields of it. Never a secret, a prompt or an output. */
type About = Readonly<Record<string, string | number | undefined>>;

type Write = (message: string, about?: About) => void;

/** For the operator: one line for each fact. */
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
 * Lines of JSON (`level`, `time`, `msg`, what it is about) for a collector, or of text for a person. Whatever else a
 * text contains, a line stays one line, and secrets that are known are not in it.
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

/** What goes wrong in the background, as the parts of a server report it; a run that it names is a field of the line. */
export function troublesIn(log: Log): (what: string, error: unknown) => void {
  return (what, error) => {
    const runId = RUN_ID.exec(what)?.[0];
    const reason = error instanceof Error ? error.message : String(error);
    log.error(what, { reason, ...(runId === undefined ? {} : { runId }) });
  };
}

/** Who and where first, as the command line names runs and nodes; ids that only programs follow are left out. */
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
