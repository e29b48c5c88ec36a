/** Requests of one job that are under way at once: as many as a small account's limiter lets pass. */
export const maxConcurrentRequests = 4;
