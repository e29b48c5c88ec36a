// Preloaded into the program: SIGUSR2 moves its wall clock an hour forward, the next one moves it back.
// The monotonic clock is not affected, as when the clock of a machine is set.
const hourMs = 3_600_000;
const RealDate = Date;
let ahead = 0;
process.on('SIGUSR2', () => {
  ahead = ahead === 0 ? hourMs : 0;
});
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + ahead);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + ahead;
  }
};
