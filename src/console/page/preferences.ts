import { Store, useStore } from "./store.ts";

export type Theme = "light" | "dark";
export type TimeMode = "relative" | "local" | "utc";
export const TIME_MODES: readonly TimeMode[] = ["relative", "local", "utc"];

const theme = new Store<Theme>(document.documentElement.dataset["theme"] === "dark" ? "dark" : "light");
const timeMode = new Store<TimeMode>(TIME_MODES.find((mode) => mode === read("sluice.time")) ?? "relative");

export function useTheme(): Theme {
  return useStore(theme);
}

export function toggleTheme(): void {
  const next = theme.get() === "dark" ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  keep("sluice.theme", next);
  theme.set(next);
}

export function useTimeMode(): TimeMode {
  return useStore(timeMode);
}

export function setTimeMode(mode: TimeMode): void {
  keep("sluice.time", mode);
  timeMode.set(mode);
}

/** Reads a preference. Storage may be forbidden, and a choice then lasts only as long as the page. */
export function read(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The choice then lasts only as long as the page.
  }
}
