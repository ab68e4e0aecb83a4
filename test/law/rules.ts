import { identifiersOf, importsOf, lineAt, wordsOf, type SourceFile } from "./source.ts";
import { areaOf, CONSOLE_AREAS, screenOf } from "./console-areas.ts";
import { mayImport, roomOf, ROOMS } from "./rooms.ts";

/** One breach, as `path:line: what is wrong and what to do`. */
export type Breach = string;
export type Rule = (file: SourceFile) => Breach[];

const FILE_LINES_MAX = 300;

export const isTest = (path: string): boolean => path.endsWith(".test.ts");
const isCore = (path: string): boolean => path.startsWith("src/core/") && !isTest(path);

function breach(file: SourceFile, offset: number, text: string): Breach {
  return `${file.path}:${lineAt(file.text, offset)}: ${text}`;
}

function eachMatch(file: SourceFile, pattern: RegExp, text: (found: string) => string): Breach[] {
  return [...file.code.matchAll(pattern)].map((match) => breach(file, match.index, text(match[0].trim())));
}

/** Directions of the table, doors, packages, and the extension every relative import carries. */
export const importRule: Rule = (file) => {
  const room = roomOf(file.path);
  if (room === null || ROOMS[room] === undefined) return [`${file.path}:1: lies in no room of the table`];
  const law = ROOMS[room];
  return importsOf(file).flatMap(({ specifier, target }) => {
    const wrong = (text: string): Breach[] => [`${file.path}: imports ${specifier}: ${text}`];
    if (target === null) {
      if (isTest(file.path)) return [];
      if (specifier.startsWith("node:")) return law.isNode ? [] : wrong("core knows no module of Node");
      const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
      return law.packages.includes(name) ? [] : wrong(`${room} may not use the package ${name}`);
    }
    if (room === "console" && target.endsWith(".css")) return [];
    // What a thread or a process is started from is loaded as it stands.
    if (room === "script" && target.endsWith("-interpreter.mjs")) return [];
    if (room === "cli" && target.endsWith("-host.mjs")) return [];
    if (!/\.tsx?$/.test(target)) return wrong("relative imports end in .ts");
    const other = roomOf(target);
    if (other === null) return isTest(file.path) ? [] : wrong("lies in no room");
    if (other === room) return [];
    if (!isTest(file.path) && !mayImport(room, other)) return wrong(`${room} may not import ${other}`);
    return target.endsWith("/index.ts") ? [] : wrong(`enter ${other} through its index.ts`);
  });
};

/** Directions between the areas of the console, style sheets included. */
export const areaRule: Rule = (file) => {
  const area = areaOf(file.path);
  if (area === null) return [];
  if (!Object.hasOwn(CONSOLE_AREAS, area)) return [`${file.path}:1: lies in no area of the console`];
  if (isTest(file.path)) return [];
  return importsOf(file).flatMap(({ specifier, target }) => {
    const other = areaOf(target ?? "");
    if (target === null || other === null) return [];
    const wrong = (text: string): Breach[] => [`${file.path}: imports ${specifier}: ${text}`];
    if (other !== area)
      return CONSOLE_AREAS[area]?.includes(other) === true ? [] : wrong(`${area} may not import ${other}`);
    return screenOf(file.path) === screenOf(target) ? [] : wrong("a screen imports no other screen");
  });
};

/** What a free name in core would bring in; a property of the same name is no concern. */
const IMPURE_NAMES = [
  ["Date", "time comes in as `at`"],
  ["setTimeout", "core knows no timer; emit `set-timer`"],
  ["setInterval", "core knows no timer; emit `set-timer`"],
  ["setImmediate", "core knows no timer"],
  ["queueMicrotask", "core knows no timer"],
  ["performance", "time comes in as `at`"],
  ["fetch", "core does no I/O"],
  ["process", "core knows no process"],
  ["console", "core does no I/O"],
  ["globalThis", "core knows no environment"],
  ["Intl", "core knows no locale"],
  ["async", "core never waits"],
  ["await", "core never waits"],
  ["Promise", "core never waits"],
  ["structuredClone", "core compiles without the DOM"],
  ["crypto", "use the digests of core/base"],
  ["require", "core is ES modules"],
  ["eval", "no code from text"],
] as const;

const IMPURE_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w$])Math\s*\.\s*random\b/g, "chance comes in as `jitter`"],
  [/\.\s*localeCompare\b/g, "text is ordered by compareCodeUnits"],
  [/\.\s*toLocale\w*/g, "core knows no locale"],
  [/(?<![\w$.])Function\s*\(/g, "no code from text"],
  // A text, or a template made only of constants, is literal enough.
  [
    /(?<![\w$.])RegExp\s*\(\s*(?!["']|`(?:[^`$]|\$\{[A-Z][A-Z0-9_]*\})*`)/g,
    "patterns that are not literal go through core/text",
  ],
  // A written key only tells the members of a union apart.
  [/(?<![\w$.[]|["']\s*)in\s+(?!keyof\b)(?=[\w$(])/g, "own properties only: use Object.hasOwn instead of `in`"],
];

export const purityRule: Rule = (file) => {
  if (!isCore(file.path)) return [];
  // `[K in T]` of a mapped type is a type, not a look-up.
  const code = file.code.replaceAll(/\[\s*\w+\s+in\b/g, (text) => " ".repeat(text.length));
  const bare = { ...file, code };
  return [
    ...IMPURE_NAMES.flatMap(([name, advice]) =>
      eachMatch(bare, new RegExp(`(?<![\\w$.])${name}(?![\\w$])`, "g"), () => `${name} in core: ${advice}`),
    ),
    ...IMPURE_PATTERNS.flatMap(([pattern, advice]) =>
      eachMatch(bare, pattern, (found) => `${found} in core: ${advice}`),
    ),
  ];
};

/** Only the program talks to the terminal and reads the environment. */
export const edgeRule: Rule = (file) => {
  if (isTest(file.path) || file.path.startsWith("src/cli/") || file.path.endsWith("/main.ts")) return [];
  return eachMatch(
    file,
    /(?<![\w$.])(?:console|process\s*\.\s*(?:env|argv|stdout|stderr|stdin|exit\w*))(?![\w$])/g,
    (found) => `${found} belongs to the program (cli or a main.ts); take the value as a parameter`,
  );
};

export const sizeRule: Rule = (file) => {
  const lines = file.text.split("\n").length - (file.text.endsWith("\n") ? 1 : 0);
  if (isTest(file.path) || file.path.startsWith("test/") || lines <= FILE_LINES_MAX) return [];
  return [`${file.path}: ${lines} lines, at most ${FILE_LINES_MAX}; it holds more than one noun`];
};

export const nameRule: Rule = (file) => {
  const name = file.path.split("/").at(-1) ?? "";
  const isFine = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)*\.(?:ts|tsx|mjs)$/.test(name);
  const isDrawer = file.path.split("/").some((part) => /^(?:utils?|helpers?|misc|common|shared)(?:\.ts)?$/.test(part));
  return [
    ...(isFine ? [] : [`${file.path}: file names are kebab-case`]),
    ...(isDrawer ? [`${file.path}: a room is named after what it holds, not a drawer`] : []),
  ];
};

const LEFT_OUT =
  /(?<![\w$.])(?:it|test|describe|suite|bench)(?:\s*\.\s*\w+)*\s*\.\s*(?:only|skip|todo|skipIf|runIf|fails)\b/g;
const FOCUSED = /(?<![\w$.])(?:xit|xtest|xdescribe|fit|fdescribe)\s*\(/g;

/** Nothing may be left out of the suite. */
export const wholeSuiteRule: Rule = (file) =>
  isTest(file.path)
    ? [...eachMatch(file, LEFT_OUT, leftOut), ...eachMatch(file, FOCUSED, leftOut)]
    : eachMatch(file, /(?<![\w$.])(?:describe|it)\s*\.\s*(?:only|skip)\b/g, leftOut);

const leftOut = (found: string): string => `${found}: every test runs, always`;

/** Words of the glossary's last column, `sign off` as `sign`, `off`. */
export function bannedWords(glossary: string): string[][] {
  return glossary
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter((cells) => cells.length === 5 && cells[1] !== "Word" && !/^-+$/.test(cells[1] ?? ""))
    .flatMap((cells) => (cells[3] ?? "").split(","))
    .map((words) =>
      words
        .trim()
        .toLowerCase()
        .split(/[\s-]+/),
    )
    .filter((words) => words[0] !== "");
}

/** Identifiers that contain a banned word and mean something else. */
export const HOMONYMS: Readonly<Record<string, string>> = {
  FLOW_END: "flow style is YAML's own word for collections in brackets",
  SharedWorker: "the browser's own word for a script that all tabs have together",
  ReactFlow: "the name of the canvas the graph is drawn on",
  ReactFlowInstance: "the name of the canvas the graph is drawn on",
  Worker: "the browser's own word for a script beside the page",
  workerData: "Node's own word for what a thread is started with",
  hasPendingJob: "the interpreter's own word for what follows an await",
  executePendingJobs: "the interpreter's own word for what follows an await",
  FlowCollection: "flow style is YAML's own word for collections in brackets",
};

export function wordRule(glossary: string): Rule {
  const banned = bannedWords(glossary);
  return (file) =>
    [...identifiersOf(file)].flatMap(([identifier, offset]) => {
      if (Object.hasOwn(HOMONYMS, identifier)) return [];
      const words = wordsOf(identifier);
      return banned
        .filter((phrase) => containsPhrase(words, phrase))
        .map((phrase) => breach(file, offset, `${identifier} says "${phrase.join(" ")}"; see docs/glossary.md`));
    });
}

function containsPhrase(words: readonly string[], phrase: readonly string[]): boolean {
  const isSame = (word: string | undefined, banned: string | undefined): boolean =>
    word === banned || word === `${banned}s` || word === `${banned?.replace(/y$/, "ie")}s`;
  return words.some((_, start) => phrase.every((word, index) => isSame(words[start + index], word)));
}

/** Words a reader has to think about, each with plain ones instead. They concern names, comments and messages alike. */
const RIDDLES: readonly (readonly [pattern: string, plain: string])[] = [
  ["told|tells?|telling", "receive, report, submit, notify, record"],
  ["hears?|heard|hearing", "receive, listen"],
  ["mend|mends|mended|mending", "fix, repair"],
  ["whoever|whomever|nobody|somebody|anybody|everybody", "the caller, no replica, a person, any key, all"],
  ["desks?", "registry, handler"],
  ["tales?", "history"],
  ["wish|wishes", "request, query"],
  ["aloud", "visibly"],
  ["rehears\\w*", "simulate, simulation"],
  ["goes? on|may[ _]?go[ _]?on|carr(?:y|ies|ied)[ _]?on", "continue"],
  ["lets?[ _]?go|letting[ _]?go", "abort, delete, release"],
  ["hand(?:s|ed)?[ _]?in", "submit"],
  ["strangers?", "unknown key, unknown token, another origin"],
  ["hurry|hurries", "at once, register now, stop retrying"],
  ["heirs?", "derived run"],
  ["parcels?|shelf|shelves|lookout|reins", "pending callback, cache, watch, stopper"],
  ["whispers?|struck", "send, hit by a bug"],
  ["believable|dearest|sofar", "checked, most expensive, snapshot"],
];

/** A metric is read by the dashboards of others, and a table is in their databases: both keep their names. */
const KEPT_NAMES = /\btold_once\b/g;

export const plainRule: Rule = (file) => {
  const text = file.text.replaceAll(KEPT_NAMES, (name) => " ".repeat(name.length));
  return RIDDLES.flatMap(([pattern, plain]) =>
    [...text.matchAll(wordPattern(pattern))].map(({ 0: found, index }) =>
      breach(file, index, `"${found}": say it plainly (${plain})`),
    ),
  );
};

/**
 * Matches a word of its own, or one of the words a name is made of: told, isTold, toldBy, TOLD_MAX. Letters match in both
 * cases without the flag for that, because the edges of a word depend on the case.
 */
function wordPattern(pattern: string): RegExp {
  const letters = pattern.replaceAll(/\\.|[a-z]/g, (part) =>
    part.length === 1 ? `[${part}${part.toUpperCase()}]` : part,
  );
  return new RegExp(`(?:(?<![A-Za-z])|(?<=[a-z0-9])(?=[A-Z]))(?:${letters})(?![a-z]|(?<=[A-Z]{2})[A-Z])`, "g");
}

const UNFINISHED = /\b(?:TODO|FIXME|XXX|HACK)\b/g;
const MACHINE = /(?<![\w./-])\/(?:home|root|Users)\/[\w.-]+|§\s*\d/gi;
/** The law itself has to say what it bans. */
const LAW_FILES = new Set(["test/law/rules.ts", "test/law.test.ts"]);

/** Every written file: nothing left for later, and nothing about the place where it was written. */
export function textRule(path: string, text: string): Breach[] {
  if (LAW_FILES.has(path)) return [];
  const at = (pattern: RegExp, what: string): Breach[] =>
    [...text.matchAll(pattern)].map((match) => `${path}:${lineAt(text, match.index)}: ${match[0]}: ${what}`);
  return [
    ...at(UNFINISHED, "finish it, or write an issue"),
    ...at(MACHINE, "the project speaks only of itself and knows no machine"),
  ];
}

/** Files that nothing imports. Doors and programs are entered from outside. */
export function deadFiles(files: readonly SourceFile[]): Breach[] {
  const imported = new Set(
    files.filter((file) => !isTest(file.path)).flatMap((file) => importsOf(file).map((one) => one.target)),
  );
  return files
    .map((file) => file.path)
    .filter((path) => path.startsWith("src/") && !isTest(path) && !/\/(?:index|main)\.tsx?$/.test(path))
    .filter((path) => !imported.has(path))
    .map((path) => `${path}: nothing imports it; remove it or use it`);
}

/** Rooms whose door leads nowhere. */
export function doorlessRooms(paths: readonly string[]): Breach[] {
  const rooms = new Set(paths.map(roomOf).filter((room) => room !== null));
  return [...rooms]
    .filter(
      (room) =>
        !paths.some((path) => ["index.ts", "main.ts", "main.tsx"].some((door) => path === `src/${room}/${door}`)),
    )
    .map((room) => `src/${room}: a room is entered through its index.ts, and it has none`);
}
