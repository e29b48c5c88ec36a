/** Concurrent requests of one job: as many as the limiter of a small account allows. */
export const maxConcurrentRequests = 4;
