// npm run snap: after a change of a tool, so that the change shows in the diff of test/__toolsnaps__.
import { writeSnapshots } from './support/snapshots.ts';

await writeSnapshots();
