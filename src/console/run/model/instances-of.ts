import type { NodeView } from "../../../core/view/index.ts";

/** Returns the instances of each `for_each` node, in order. */
export function instancesOf(nodes: Iterable<NodeView>): ReadonlyMap<string, readonly string[]> {
  const instances = new Map<string, { readonly id: string; readonly element: number }[]>();
  for (const { id, instance } of nodes) {
    if (instance === null) continue;
    const siblings = instances.get(instance.parent);
    if (siblings === undefined) instances.set(instance.parent, [{ id, element: instance.element }]);
    else siblings.push({ id, element: instance.element });
  }
  return new Map(
    [...instances].map(([parent, list]) => [
      parent,
      list.sort((left, right) => left.element - right.element).map(({ id }) => id),
    ]),
  );
}
