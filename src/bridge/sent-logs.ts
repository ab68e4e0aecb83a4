import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { instantOf } from "./sent-instant.ts";
import { CALLBACK_LOG_LINES_MAX } from "./wire.ts";

/** The levels that loggers use, by the four of this protocol. A level that is not listed counts as `info`. */
const LEVELS: ReadonlyMap<string, string> = new Map([
  ["trace", "debug"],
  ["verbose", "debug"],
  ["debug", "debug"],
  ["warn", "warning"],
  ["warning", "warning"],
  ["error", "error"],
  ["critical", "error"],
  ["fatal", "error"],
]);
const MESSAGE_KEYS = ["message", "msg", "text"];
const TIME_KEYS = ["at", "timestamp", "time", "ts"];

/**
 * Reads the log of a callback as loggers write it: lines of text, objects, or one text with a line for each. Its lines
 * are notes about a result, so no line is a reason to refuse the result.
 */
export function readLogs(logs: Json): Json {
  const lines = typeof logs === "string" ? logs.split("\n").filter((line) => line.trim() !== "") : logs;
  if (!isJsonArray(lines)) return lines;
  if (lines.length <= CALLBACK_LOG_LINES_MAX) return lines.map(logLine);
  const kept = CALLBACK_LOG_LINES_MAX - 1;
  const note = `${lines.length - kept} more lines were left out: a log has at most ${CALLBACK_LOG_LINES_MAX}.`;
  return [...lines.slice(0, kept).map(logLine), { level: "warning", message: note }];
}

function logLine(line: Json): Json {
  if (typeof line !== "string") return isJsonObject(line) ? readLine(line) : info(JSON.stringify(line));
  const object = line.startsWith("{") ? parsed(line) : null;
  return object === null ? info(line) : readLine(object);
}

function readLine(line: JsonObject): Json {
  const { level } = line;
  const message = firstOf(line, MESSAGE_KEYS);
  const at = instantOf(firstOf(line, TIME_KEYS));
  return {
    level: (typeof level === "string" ? LEVELS.get(level.toLowerCase()) : undefined) ?? "info",
    message: typeof message === "string" ? message : JSON.stringify(line),
    ...(at === undefined ? {} : { at }),
  };
}

function info(message: string): Json {
  return { level: "info", message };
}

function firstOf(line: JsonObject, keys: readonly string[]): Json | undefined {
  const key = keys.find((name) => Object.hasOwn(line, name));
  return key === undefined ? undefined : line[key];
}

function parsed(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
