import type { JSX } from "react";

/** SVG paths on a grid of 16, drawn in the colour of the surrounding text. */
const PATHS = {
  home: "M2.5 7.5 8 3l5.5 4.5V13h-4V9.5h-3V13h-4z",
  workflow: "M2.5 3h4v3.5h-4zM9.5 9.5h4V13h-4zM4.5 6.5v5h5",
  run: "M4.5 3v10l8-5z",
  approval: "M8 2.2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM5.8 8l1.6 1.6 2.9-3",
  gate: "M3 13V3M13 13V3M3 5.5h10M3 9.5h10",
  chart: "M2.5 13.5h11M4.5 11V8M8 11V4M11.5 11V6.5",
  trend: "M2.5 12 6 8l3 2.500 4.500-6M10.500 4.500h3v3",
  audit: "M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2.5",
  settings:
    "M8 5.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4zM8 2v1.8M8 12.2V14M2 8h1.8M12.2 8H14M3.8 3.8l1.2 1.2M11 11l1.2 1.2M12.2 3.8 11 5M5 11l-1.2 1.2",
  search: "M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 10l3.5 3.5",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.3 5.3 0 1 0 6.5 6.5z",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3l2 1.5",
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  skip: "M3.5 4v8L9 8zM12 4v8",
  stop: "M4 4h8v8H4z",
  dot: "M8 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z",
  ring: "M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3z",
  spin: "M8 2.5A5.5 5.5 0 0 1 13.5 8",
  redo: "M12.5 5.5A5 5 0 1 0 13 9M12.8 2.5v3.2H9.6",
  undo: "M3.5 5.5A5 5 0 1 1 3 9M3.2 2.5v3.2h3.2",
  warn: "M8 2.5 14 13H2zM8 6.5v3M8 11.2v.3",
  copy: "M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  down: "M4 6l4 4 4-4",
  up: "M4 10l4-4 4 4",
  right: "M6 4l4 4-4 4",
  left: "M10 4 6 8l4 4",
  filter: "M2.5 3.5h11L9.5 8.5v4l-3 1v-5z",
  external: "M6 3.5H3.5v9h9V10M9 3h4v4M13 3 7.5 8.5",
  download: "M8 2.5v7M5 7l3 3 3-3M3 13h10",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  fit: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  help: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM6.4 6.4a1.6 1.6 0 1 1 2.3 1.5c-.5.3-.7.6-.7 1.2M8 11.2v.2",
  signout: "M6.5 3h-4v10h4M6 8h7.5M10.5 5l3 3-3 3",
  user: "M8 8.2a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.8 13.5c.5-2.600 2.500-3.800 5.200-3.800s4.700 1.200 5.200 3.800",
  compare: "M5 13V3M2.5 5.500 5 3l2.500 2.500M11 3v10M8.500 10.500 11 13l2.500-2.500",
  gateway: "M2.5 3.500h11v4h-11zM2.500 8.500h11v4h-11zM5 5.500h.01M5 10.500h.01",
  budget: "M2.500 4.500h11v8h-11zM2.500 7h11M5 10h3",
  save: "M3 3h8l2 2v8H3zM5.500 3v3.500h4V3M5.500 13V9.500h5V13",
  money:
    "M8 2v12M11 4.8C10.5 4 9.400 3.600 8 3.600c-1.700 0-2.900.8-2.900 2.100 0 3 6 1.400 6 4.500 0 1.300-1.300 2.200-3.100 2.200-1.500 0-2.700-.5-3.200-1.500",
} as const;

export type IconName = keyof typeof PATHS;

interface IconProps {
  readonly name: IconName;
  readonly size?: number;
  readonly className?: string;
}

/** A decorative icon. Its meaning must be in the text beside it. */
export function Icon({ name, size = 16, className }: IconProps): JSX.Element {
  return (
    <svg
      className={className}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo({ size = 22 }: { readonly size?: number }): JSX.Element {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#2353c0" />
      <path d="M7 9h18M7 16h7m4 0h7M7 23h18" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      <path d="M16 12.5v7" stroke="#9fc0ff" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}
