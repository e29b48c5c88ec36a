// Preloaded into the program: each SIGUSR2 makes its resolver slow, or fast again.
import dns from 'node:dns';

const { lookup } = dns;
const slowMs = 4_000;
let slow = false;
process.on('SIGUSR2', () => {
  slow = !slow;
});
dns.lookup = (name, options, callback) => {
  setTimeout(() => lookup(name, options, callback), slow ? slowMs : 0);
};
