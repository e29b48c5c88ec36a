#!/usr/bin/env node
'use strict';
// CommonJS in the syntax of Node 12: an old Node must be able to read this file, to say that it is too old.

const oldest = { major: 20, minor: 18 };
const running = process.versions.node;
const parts = running.split('.').map(Number);

if (parts[0] < oldest.major || (parts[0] === oldest.major && parts[1] < oldest.minor)) {
  process.stderr.write(`academy-mcp needs Node ${oldest.major}.${oldest.minor} or later; this is ${running}\n`);
  process.exitCode = 1;
} else {
  import('./main.js');
}
