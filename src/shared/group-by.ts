/** The items of each key, keys in the order of their first appearance. `Map.groupBy` needs Node 21. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export function countEach<Value>(values: Iterable<Value>): Map<Value, number> {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Of equally frequent values, the first. */
export function mostFrequent<Value>(values: Iterable<Value>): Value | undefined {
  return [...countEach(values)].sort(([, one], [, other]) => other - one)[0]?.[0];
}
