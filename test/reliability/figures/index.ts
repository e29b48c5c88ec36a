import type { Figure } from '../figure.ts';
import { figure as faults } from './f1-faults.ts';
import { figure as badInputs } from './f2-bad-inputs.ts';
import { figure as protocol } from './f3-protocol.ts';
import { figure as ownRefusals } from './f4-own-429.ts';
import { figure as use } from './f5-use.ts';
import { figure as foreign } from './f6-foreign.ts';
import { figure as writes } from './f7-writes.ts';
import { journal, kill } from './f8-kill.ts';
import { figure as cancel } from './f9-cancel.ts';
import { load, soak } from './f10-load.ts';
import { figure as overload } from './f11-overload.ts';
import { figure as cleanEnds } from './f13-clean-ends.ts';
import { figure as canaries } from './f14-canaries.ts';
import { figure as injection } from './f15-injection.ts';
import { figure as conformance } from './f17-conformance.ts';
import { figure as oddPlatforms } from './f18-odd-platforms.ts';
import { figure as attacks } from './f19-attacks.ts';
import { figure as events } from './f20-events.ts';
import { figure as replicas } from './f21-replicas.ts';
import { figure as mirror } from './f22-mirror.ts';
import { figure as truth } from './f23-truth.ts';
import { figure as undo } from './f24-undo.ts';
import { figure as rosters } from './f26-rosters.ts';

export const figures: readonly Figure[] = [
  faults,
  badInputs,
  protocol,
  ownRefusals,
  use,
  foreign,
  writes,
  kill,
  cancel,
  load,
  overload,
  soak,
  cleanEnds,
  canaries,
  injection,
  conformance,
  oddPlatforms,
  attacks,
  events,
  replicas,
  mirror,
  truth,
  undo,
  journal,
  rosters,
];
