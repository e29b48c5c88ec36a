// Loaded before the program, with --expose-gc: on this signal it tidies up, so that the heap is what is in use.
process.on('SIGUSR2', () => globalThis.gc());
