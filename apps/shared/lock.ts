/** Runs one task at a time: a second press while the first one is under way does nothing. */
export function createLock(): (task: () => Promise<void>) => Promise<void> {
  let isHeld = false;
  return async (task) => {
    if (isHeld) return;
    isHeld = true;
    await task().finally(() => {
      isHeld = false;
    });
  };
}
