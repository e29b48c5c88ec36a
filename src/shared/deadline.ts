/** Costs less than `AbortSignal.any`, which may lose an `AbortSignal.timeout` to the garbage collector on Node 20. */
export function deadline(milliseconds: number, signal: AbortSignal | undefined) {
  const abort = new AbortController();
  const leave = () => abort.abort(signal?.reason);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    abort.abort(new DOMException('no answer in time', 'TimeoutError'));
  }, milliseconds).unref();
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave, { once: true });
  return {
    signal: abort.signal,
    timedOut: () => timedOut,
    end: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    },
  };
}
