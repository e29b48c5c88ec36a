import { installLibraries, launch } from './chromium.ts';

// npm run test:ui, before the tests: what the browser needs, and whether it starts.
await installLibraries();
const browser = await launch();
console.log(`Chromium ${browser.version()}`);
await browser.close();
