// Loaded before the program, with --expose-gc: collects garbage on this signal, so that the heap shows what is in use.
process.on('SIGUSR2', () => globalThis.gc());
