// `npm run package` makes the npm package in build/npm.

import { writeNpmPackage } from './npm-package.ts';

await writeNpmPackage('dist', 'build/npm');
process.stdout.write('build/npm is ready: npm pack ./build/npm\n');
