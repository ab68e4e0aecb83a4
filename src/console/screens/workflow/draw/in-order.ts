/** Runs work one piece after the other. A failed piece is reported, and those after it still run. */
export function inOrder(onFailure: (failure: unknown) => void): (work: () => Promise<void>) => Promise<void> {
  let last = Promise.resolve();
  return (work) => {
    last = last.then(work).catch(onFailure);
    return last;
  };
}
