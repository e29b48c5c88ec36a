interface Flight {
  promise: Promise<unknown>;
  callers: number;
  abort: AbortController;
}

/** Rejects with the signal's reason if it aborts before the promise settles. */
function orLeave<T>(promise: Promise<T>, signal: AbortSignal | undefined, onLeave: () => void): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const leave = () => {
      onLeave();
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Concurrent identical work runs once, and is aborted only after all callers have left. */
export function createSingleFlight() {
  const flights = new Map<string, Flight>();

  function remove(key: string, flight: Flight): void {
    if (flights.get(key) === flight) flights.delete(key);
  }

  function start<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Flight {
    const abort = new AbortController();
    const promise = work(abort.signal).finally(() => remove(key, flight));
    const flight: Flight = { promise, callers: 0, abort };
    flights.set(key, flight);
    return flight;
  }

  function leave(key: string, flight: Flight): void {
    flight.callers -= 1;
    if (flight.callers > 0) return;
    // A new caller must not join work that is being aborted.
    remove(key, flight);
    flight.promise.catch(() => {});
    flight.abort.abort();
  }

  return {
    run: <T>(key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const flight = flights.get(key) ?? start(key, work);
      flight.callers += 1;
      // The key holds everything that the answer depends on, so identical keys have answers of one type.
      return orLeave(flight.promise as Promise<T>, signal, () => leave(key, flight));
    },
    end: (): void => {
      for (const { abort } of flights.values()) abort.abort();
    },
  };
}
