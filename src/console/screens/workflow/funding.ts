/** Payment for trying a workflow: none (scripted answers), the person's own key in this tab, or the server's keys. */
export type Funding = "none" | "own_key" | "server";

/** The place where scripted answers are computed. */
export type Where = "page" | "server";

export interface FundingState {
  readonly funding: Funding | null;
  readonly hasArgs: boolean;
  readonly isBroken: boolean;
  /** The model for nodes that name none. Used for `own_key`. */
  readonly model: string;
  /** Whether the present text is a saved version. Used for `server`. */
  readonly isSaved: boolean;
  readonly mayLaunch: boolean;
}

/** Returns why the trial cannot start yet, or null when it can. The funding is checked first: nothing runs before it is chosen. */
export function obstacleTo(trial: FundingState): string | null {
  const { funding, hasArgs, isBroken, model, isSaved, mayLaunch } = trial;
  if (funding === null) return "Choose who pays first.";
  if (isBroken) return "Fix the problems first.";
  if (funding === "server") {
    if (!mayLaunch) return "This key may not start runs: it lacks the permission workflow:execute.";
    return isSaved ? null : "Save the text first: the server runs saved versions.";
  }
  if (!hasArgs) return "Fill in the required args first.";
  if (funding === "own_key" && model.trim() === "") return "Name the model first.";
  return null;
}
