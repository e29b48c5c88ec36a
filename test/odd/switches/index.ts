import { amountSwitches } from './amounts.ts';
import { boundSwitches, clockSwitches } from './bounds.ts';
import { dateSwitches } from './dates.ts';
import { elementSwitches } from './elements.ts';
import { none } from './fine.ts';
import { pagingSwitches } from './paging.ts';
import { statusSwitches } from './statuses.ts';
import type { Switch } from './switch.ts';

/** Every switch, class by class. */
export const switches: readonly Switch[] = [
  none,
  ...elementSwitches,
  ...amountSwitches,
  ...dateSwitches,
  ...statusSwitches,
  ...pagingSwitches,
  ...boundSwitches,
  ...clockSwitches,
];
